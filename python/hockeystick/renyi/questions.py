# SPDX-License-Identifier: Apache-2.0
"""What a mechanism answers in Renyi terms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _validate
from ..bounds import Bounds
from ..tradeoff import TradeoffCurve
from .answers import ledger_epsilon, ledger_log_delta, ledger_profile, ledger_tradeoff
from .curves import LawCurve, RenyiBounds, SubsampledGaussianCurve
from .ledger import Ledger
from .mixed import Mixed
from .orders import default_orders, resolve_orders

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

    from .explain import Explanation


class RenyiQuestions:
    """Mixin: the Renyi curve of a subclass, and what follows from it."""

    __slots__ = ()

    @property
    def relation(self) -> str:
        """The neighbouring relation that every number refers to."""
        raise NotImplementedError

    def _parts(self) -> tuple[tuple[Any, int], ...]:
        raise NotImplementedError

    def _releases(self) -> Iterator[tuple[Any, int]]:
        raise NotImplementedError

    def _gaussian(self) -> tuple[float, float] | None:
        raise NotImplementedError

    def _renyi_curve(self) -> RenyiBounds:
        """Return the Renyi curve of one release: the Gaussian's own, or one from the loss law."""
        gaussian = self._gaussian()
        if gaussian is not None:
            return SubsampledGaussianCurve(*gaussian)
        return LawCurve(self)  # type: ignore[arg-type]

    def _renyi_entries(self) -> Iterator[tuple[RenyiBounds, int]]:
        """Yield the Renyi curves that this mechanism is made of, with their counts."""
        for release, count in self._releases():
            yield release._renyi_curve(), count

    def _renyi_ledger(self) -> Ledger:
        return Ledger.of(self._renyi_entries()).prepared()

    def _known_exactly(self) -> bool:
        """Whether this single mechanism has a pair of distributions, and not a Renyi curve alone."""
        return True

    @property
    def renyi_only(self) -> tuple[Any, ...]:
        """The parts that are known by a Renyi curve alone: where a total is loose, they are why.

        Examples
        --------
        >>> import hockeystick as hs
        >>> (hs.ZCDP(rho=0.1) + hs.Gaussian(noise_multiplier=2.0)).renyi_only
        (ZCDP(rho=0.1, xi=0.0, greatest_order=inf, relation='add_remove'),)
        """
        return tuple(part for part, count in self._parts() if count and not part._known_exactly())

    def rdp(self, *, orders: ArrayLike | str | None = None) -> NDArray[np.float64]:
        """Upper bounds on the Renyi divergences, the larger direction of the relation at each order.

        Parameters
        ----------
        orders : array_like, str, optional
            At least 1 (1 is the Kullback-Leibler divergence, infinity the largest loss), or the name of a classic grid:
            "tf_privacy", "opacus", "dp_accounting". By default :func:`hockeystick.renyi.default_orders`.

        Returns
        -------
        numpy.ndarray
            Of the shape of `orders`. Subsampled Gaussians: at most 1e-10 relative above the truth, at any order.

        Raises
        ------
        TypeError, ValueError
            For orders out of their domain.

        Examples
        --------
        >>> import hockeystick as hs
        >>> step = hs.Gaussian(noise_multiplier=1.2).poisson(0.05)
        >>> print(step.rdp(orders=[1.5, 2, 32]).round(6))
        [1.825000e-03 2.503000e-03 8.018742e+00]
        """
        if orders is None or isinstance(orders, str):
            return self._renyi_ledger().upper(resolve_orders(orders))
        at = _validate.array_within("orders", orders, 1.0, np.inf)
        return self._renyi_ledger().upper(np.ascontiguousarray(at.reshape(-1))).reshape(at.shape)

    def explain(self, *, delta: float, orders: ArrayLike | str | None = None) -> Explanation:
        """Epsilon at `delta` by every method, from basic composition to the exact value: why two tools differ.

        Parameters
        ----------
        delta : float
            In (0, 1).
        orders : array_like, str, optional
            Where the search for the best order starts; see :meth:`rdp`.

        Returns
        -------
        Explanation
            Prints as a table; each row says whether it is a bound.

        Raises
        ------
        TypeError, ValueError
            For arguments out of their domain.

        Examples
        --------
        >>> import hockeystick as hs
        >>> run = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
        >>> for row in run.explain(delta=1e-5).rows:
        ...     if row.key in ("advanced_composition", "renyi_improved", "exact"):
        ...         print(row.key, f"{row.epsilon:.3f}", row.kind)
        advanced_composition 543.383 upper bound
        renyi_improved 2.101 upper bound
        exact 1.828 upper bound
        """
        from .explain import explain_mechanism  # it asks for every other answer of a mechanism

        return explain_mechanism(self, delta=delta, orders=orders)

    def _asks_renyi(self, method: str) -> bool:
        """Whether the Renyi ledger answers; refuses an engine that needs pairs where a part has none."""
        if method == "rdp":
            return True
        loose = self.renyi_only
        if loose and method != "auto":
            raise ValueError(
                f"method must be 'auto' or 'rdp' for a part that is known by a Renyi curve alone, got {method!r} "
                f"for {loose[0]!r}"
            )
        return bool(loose)

    def _renyi_epsilon_bounds(self, deltas: NDArray[np.float64], method: str) -> Bounds:
        """Upper bounds by the Renyi curve of all parts; "auto" adds what follows from the parts that are known exactly."""
        ledger, orders = self._renyi_ledger(), default_orders()
        upper = np.array([ledger_epsilon(ledger, float(delta), orders).value for delta in deltas.flat])
        lower, served = np.zeros(deltas.shape), "rdp"
        mixed = Mixed(self)
        if method == "auto" and mixed.exact is not None:
            lower = np.asarray(mixed.exact.epsilon_bounds(delta=deltas).lower)
            with np.errstate(divide="ignore"):
                tighter = np.array([mixed.epsilon_upper(float(log_delta)) for log_delta in np.log(deltas).flat])
            served = "rdp" if (upper <= tighter).all() else "rdp, fft"
            upper = np.minimum(upper, tighter)
        return Bounds(lower, upper.reshape(deltas.shape), served)

    def _renyi_log_delta_bounds(self, epsilons: NDArray[np.float64], method: str) -> Bounds:
        """The same for log delta at epsilons; infinity asks for the mass there, 0 if any order is finite."""
        ledger, orders = self._renyi_ledger(), default_orders()
        finite = not ledger.entries or bool(np.isfinite(ledger.upper(orders)).any())
        upper = np.array(
            [
                ledger_log_delta(ledger, float(epsilon), orders)[0]
                if np.isfinite(epsilon)
                else -np.inf
                if finite
                else 0.0
                for epsilon in epsilons.flat
            ]
        )
        lower, served = np.full(epsilons.shape, -np.inf), "rdp"
        mixed = Mixed(self)
        if method == "auto" and mixed.exact is not None:
            lower = np.asarray(mixed.exact.log_delta_bounds(epsilon=epsilons).lower)
            finite_points = np.isfinite(epsilons)
            # The tighter answers may be far below: the law must not put at infinity what matters to them.
            guide = 2.0 * float(np.min(upper[finite_points], initial=0.0)) - 1.0
            tighter = mixed.log_delta_upper(np.ascontiguousarray(epsilons[finite_points]), guide)
            served = "rdp" if (upper[finite_points] <= tighter).all() else "rdp, fft"
            upper[finite_points] = np.minimum(upper[finite_points], tighter)
        return Bounds(lower, upper.reshape(epsilons.shape), served)

    def _renyi_tradeoff(self, fpr_floor: float, method: str) -> TradeoffCurve:
        """Lower bound on the trade-off function; "auto" composes a pair for the loose parts with the exact ones."""
        ledger = self._renyi_ledger()
        mixed = Mixed(self)
        if method != "auto" or mixed.exact is None or not ledger.entries:
            return ledger_tradeoff(ledger, fpr_floor, self.relation)
        log_floor = float(np.log(fpr_floor)) - 4.0
        points, logs = ledger_profile(ledger, log_floor)
        # The law of the loose parts is an upper bound: it says nothing from below.
        logs = np.minimum(logs, mixed.log_delta_upper(points, log_floor))
        return TradeoffCurve.from_profile(epsilon=points, log_delta_upper=logs, relation=self.relation)
