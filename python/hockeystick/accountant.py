# SPDX-License-Identifier: Apache-2.0
"""The ledger of a training loop."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _validate
from ._docs import documented_by
from ._history import History, size_of
from .budget import Budget
from .calibrate import calibrate
from .description import VERSION as DESCRIPTION_VERSION
from .description import check_entries, check_version
from .dpsgd import dpsgd
from .mechanisms import Mechanism

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .gdp import GDPFit
    from .mechanisms import Composition
    from .tradeoff import TradeoffCurve

STATE_VERSION = 1
"""The version of :meth:`Accountant.state_dict`; this one and every earlier one can be loaded."""

ADAPTIVITY = (
    "Valid if each step's mechanism may look at the outputs of the steps before it, while the parameters of the steps "
    "(noise, rate, their number) are fixed beforehand or chosen without looking at the outputs. Stopping by a budget is "
    "such a choice. If noise, rate or the time to stop depend on outputs, this number is not a guarantee: a privacy "
    "filter is needed, such as hs.RenyiFilter or hs.GDPFilter."
)
"""What the numbers of an accountant assume."""


class Accountant:
    """Records what a run releases, and answers for all of it at any time.

    Asking never changes the ledger; a call that fails leaves no trace in it. Equal steps in a row are one entry of the
    history, and a question costs the same after a million equal steps as after a thousand. Nothing refuses to go over a
    budget: ask :meth:`can_afford` before a step is taken.

    Parameters
    ----------
    relation : {"add_remove", "replace", "zero_out"}
        The neighbouring relation that every step must be stated under.
    budget : Budget or iterable of Budget, optional
        What :meth:`can_afford` and :meth:`remaining` go by; all of them have to hold.

    Raises
    ------
    TypeError, ValueError
        For arguments out of their domain.

    Examples
    --------
    >>> import hockeystick as hs
    >>> accountant = hs.Accountant(budget=hs.Budget.epsilon(2, delta=1e-5))
    >>> step = hs.Gaussian(noise_multiplier=1.0).poisson(0.01)
    >>> while accountant.can_afford(step, count=400):       # an epoch of 400 updates at a time
    ...     accountant.compose(step, 400)
    >>> len(accountant), accountant.remaining(step)
    (1200, 2)
    >>> print(f"{accountant.get_epsilon(1e-5):.4f}")
    1.9982
    """

    def __init__(self, *, relation: str = "add_remove", budget: Budget | Iterable[Budget] | None = None) -> None:
        self._past = History(relation)
        self._budgets = _budgets(budget)

    @property
    def relation(self) -> str:
        """The neighbouring relation that every number refers to."""
        return self._past.relation

    @property
    def budgets(self) -> tuple[Budget, ...]:
        """The budgets that all have to hold."""
        return self._budgets

    @property
    def history(self) -> tuple[tuple[Mechanism, int], ...]:
        """What was composed, in order: mechanisms and how often, equal ones in a row as one entry."""
        return self._past.entries

    @property
    def mechanism(self) -> Composition:
        """All of it as one mechanism, which answers every question."""
        return self._past.mechanism

    @property
    def adaptivity(self) -> str:
        """What the numbers assume about choices made during the run; belongs beside every number."""
        return ADAPTIVITY

    def __len__(self) -> int:
        """Return the number of steps, not of entries."""
        return len(self._past)

    def step(self, *, noise_multiplier: float, sampling_rate: float = 1.0, steps: int = 1) -> None:
        """Record DP-SGD updates with Poisson batches.

        Parameters
        ----------
        noise_multiplier : float
            Standard deviation of the noise over the clipping norm; at least 0.
        sampling_rate : float
            In [0, 1].
        steps : int
            How many such updates.

        Raises
        ------
        TypeError, ValueError
            For arguments out of their domain; nothing is recorded then.
        """
        run = dpsgd(noise_multiplier=noise_multiplier, sampling_rate=sampling_rate, steps=steps, relation=self.relation)
        self.compose(run)

    def compose(self, mechanism: Mechanism, count: int = 1) -> None:
        """Record any mechanism, `count` times.

        Parameters
        ----------
        mechanism : Mechanism
            Under the relation of this accountant.
        count : int
            At least 0.

        Raises
        ------
        TypeError, ValueError
            For arguments out of their domain, or another relation; nothing is recorded then.
        """
        self._past.add(mechanism, count)

    def merge(self, other: Accountant) -> None:
        """Record all that another accountant has recorded; the budgets stay those of this one.

        Parameters
        ----------
        other : Accountant
            Under the same relation; it is not changed.

        Raises
        ------
        TypeError, ValueError
            If it is no accountant, or under another relation; nothing is recorded then.
        """
        if not isinstance(other, Accountant):
            raise TypeError(f"other must be an Accountant, got {other!r}")
        if other.relation != self.relation:
            raise ValueError(f"other must be under the relation {self.relation!r}, got {other.relation!r}")
        self._past.extend(other._past)

    @documented_by(Mechanism.epsilon)
    def get_epsilon(self, delta: float, *, method: str = "auto", tolerance: float | None = None) -> float:
        """Upper bound on epsilon at `delta` of all steps so far; see :meth:`Mechanism.epsilon`.

        Parameters
        ----------
        delta : float
            In [0, 1].

        Returns
        -------
        float
            Infinity where no finite epsilon exists.
        """
        return float(
            self.mechanism.epsilon(delta=_validate.probability("delta", delta), method=method, tolerance=tolerance)
        )

    @documented_by(Mechanism.delta)
    def get_delta(self, epsilon: float, *, method: str = "auto", tolerance: float | None = None) -> float:
        """Upper bound on delta at `epsilon` of all steps so far; see :meth:`Mechanism.delta`.

        Parameters
        ----------
        epsilon : float
            At least 0.

        Returns
        -------
        float
        """
        return float(
            self.mechanism.delta(epsilon=_validate.real("epsilon", epsilon), method=method, tolerance=tolerance)
        )

    @documented_by(Mechanism.gdp)
    def gdp(self, *, fpr_floor: float = 1e-10, delta0: float | None = None, method: str = "auto") -> GDPFit:
        """The Gaussian mu of all steps so far, an upper bound; see :meth:`Mechanism.gdp`."""
        return self.mechanism.gdp(fpr_floor=fpr_floor, delta0=delta0, method=method)

    @documented_by(Mechanism.tradeoff)
    def tradeoff(self, *, fpr_floor: float = 1e-15, method: str = "auto") -> TradeoffCurve:
        """Trade-off curve of all steps so far, a lower bound; see :meth:`Mechanism.tradeoff`."""
        return self.mechanism.tradeoff(fpr_floor=fpr_floor, method=method)

    def epsilon_history(self, delta: float, *, points: int = 200) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Epsilon after so and so many steps, for a plot.

        Parameters
        ----------
        delta : float
            In [0, 1].
        points : int
            At most so many step numbers, evenly spread, the last one among them; at least 1.

        Returns
        -------
        steps : numpy.ndarray, shape (k,), int64
            Numbers of steps, increasing; where an entry of the history is a composition, only its ends are taken.
        epsilon : numpy.ndarray, shape (k,)
            Upper bounds.

        Raises
        ------
        TypeError, ValueError
            For arguments out of their domain.
        """
        delta = _validate.probability("delta", delta)
        points = _validate.count("points", points)
        if not points:
            raise ValueError(f"points must be at least 1, got {points!r}")
        wanted = np.unique(np.linspace(1, max(len(self), 1), min(points, max(len(self), 1))).round().astype(np.int64))
        prefixes = self._past.prefixes(wanted)
        epsilons = [prefix.epsilon(delta=delta) for prefix in prefixes]
        return np.array([len(prefix) for prefix in prefixes], dtype=np.int64), np.array(epsilons, dtype=np.float64)

    def can_afford(self, next: Mechanism, /, *, count: int = 1) -> bool:
        """Whether all budgets are certified to hold after `next` was composed `count` times more.

        Parameters
        ----------
        next : Mechanism
            Under the relation of this accountant.
        count : int
            At least 0.

        Returns
        -------
        bool
            False also where an engine cannot certify enough.

        Raises
        ------
        TypeError, ValueError
            For arguments out of their domain, another relation, or if there is no budget.
        """
        self._past.require_relation("next", next)
        self._require_budget()
        total = self.mechanism + _validate.count("count", count) * next
        return all(budget.allows(total) for budget in self._budgets)

    @documented_by(can_afford)
    def remaining(self, next: Mechanism, /) -> int:
        """How many times more `next` can be composed within all budgets.

        Returns
        -------
        int
            Exact: so many are certified to be within every budget, and one more is not certified to be. 0 if the
            budget is spent; 2^53, the largest count there is, for what costs nothing.
        """
        self._past.require_relation("next", next)
        self._require_budget()
        return min(self._remaining(next, budget) for budget in self._budgets)

    def state_dict(self) -> dict[str, Any]:
        """Everything that is needed to go on later: plain values, versioned, ready for ``json.dumps``.

        Returns
        -------
        dict
            With the entries ``version``, ``description_version``, ``relation``, ``history`` and ``budgets``.
        """
        return {
            "version": STATE_VERSION,
            "description_version": DESCRIPTION_VERSION,
            "relation": self.relation,
            "history": self._past.to_list(),
            "budgets": [budget.to_dict() for budget in self._budgets],
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Replace everything, budgets and relation included, by a state that :meth:`state_dict` returned.

        Parameters
        ----------
        state : mapping
            Of any release whose version it bears.

        Raises
        ------
        TypeError, ValueError
            If it is none, or of a version that this release does not know; nothing changes then.
        """
        if not isinstance(state, Mapping):
            raise TypeError(f"state must be a mapping, got {state!r}")
        check_version("state", state.get("version"), STATE_VERSION)
        entries = {"version", "description_version", "relation", "history", "budgets"}
        check_entries("state", state, needed=entries, allowed=entries)
        budgets = _budgets([Budget.from_dict(each) for each in state["budgets"]])
        past = History.from_list(state["relation"], state["history"], state["description_version"])
        self._past, self._budgets = past, budgets

    def copy(self) -> Accountant:
        """Return an independent accountant with the same ledger and budgets.

        Returns
        -------
        Accountant
        """
        other = Accountant(relation=self.relation, budget=self._budgets)
        other._past = self._past.copy()
        return other

    def __repr__(self) -> str:
        kinds = self._past.kinds
        return f"Accountant({len(self)} steps of {kinds} kinds, relation={self.relation!r}, budget={self._budgets!r})"

    def _remaining(self, next: Mechanism, budget: Budget) -> int:
        spent = self.mechanism
        if not budget.allows(spent):
            return 0
        most = _validate.LARGEST_COUNT // max(size_of(next), 1)
        start = min(max(len(self), 1000) // max(size_of(next), 1) + 1, most)
        found = calibrate(lambda n: spent + n * next, budget, integer=True, increasing=True, upper=most, start=start)
        return int(found.value)

    def _require_budget(self) -> None:
        if not self._budgets:
            raise ValueError("budget must be given to the accountant before it is asked for, got none")


def _budgets(budget: Any) -> tuple[Budget, ...]:
    budgets = () if budget is None else (budget,) if isinstance(budget, Budget) else budget
    if not isinstance(budgets, Iterable):
        raise TypeError(f"budget must be a Budget or several, got {budget!r}")
    budgets = tuple(budgets)
    for each in budgets:
        if not isinstance(each, Budget):
            raise TypeError(f"budget must be a Budget or several, got {each!r}")
    return budgets
