# SPDX-License-Identifier: Apache-2.0
"""Attack risks read off a trade-off curve: what an adversary can do at most, in rates and probabilities.

Every number bounds all attacks, with any side knowledge but the record at stake; none says that an attack exists.
Advantage, TPR, Bayes error, PPV and likelihood ratio are about telling the two neighbouring inputs apart: membership
under ``add_remove`` (or ``zero_out``), which of two records under ``replace``. Re-identification, attribute inference and
reconstruction compare the output with one that does not depend on the target, which each relation provides: the data
without the record, with it zeroed, or with another in its place.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _validate
from ._docs import documented_by

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

# Covers the few roundings of each formula below.
_UP = 1.0 + 1e-15
_DOWN = 1.0 - 1e-15


class Risks:
    """Mixin: risks from upper bounds on delta(epsilon) and on TPR(FPR), for mechanisms and curves."""

    __slots__ = ()

    if TYPE_CHECKING:

        def tpr(self, fpr: ArrayLike) -> Any:  # noqa: D102
            ...

        def delta(self, *, epsilon: ArrayLike) -> Any:  # noqa: D102
            ...

    def advantage(self) -> float:
        """Upper bound on the membership advantage, the largest TPR - FPR of any test.

        Formula: max over alpha of 1 - alpha - f(alpha) = delta(0), the total variation distance. Unit: difference of two
        rates, in [0, 1]. Assumes nothing about the prior; at prior 1/2 the attacker is right with probability
        (1 + advantage) / 2.

        Returns
        -------
        float

        Examples
        --------
        >>> import hockeystick as hs
        >>> print(f"{hs.Gaussian(noise_multiplier=1.0).advantage():.4f}")
        0.3829
        """
        return float(self.delta(epsilon=0.0))

    def bayes_error(self, *, prior: ArrayLike = 0.5) -> Any:
        """Lower bound on the error probability of every attacker who guesses membership at a prior.

        Formula: R(pi) = min over alpha of (1 - pi) alpha + pi f(alpha) = pi (1 - delta(log((1 - pi) / pi))) for pi <= 1/2,
        and R(1 - pi) beyond, f being symmetric. Unit: probability; a blind guess errs with min(pi, 1 - pi). Assumes that
        the record is in with probability `prior`, independently of everything else.

        Parameters
        ----------
        prior : float or array_like
            In [0, 1].

        Returns
        -------
        float or numpy.ndarray
            The attacker succeeds with probability at most 1 minus it.

        Raises
        ------
        ValueError, TypeError
            For arguments out of their domain.

        Examples
        --------
        >>> import hockeystick as hs
        >>> print(f"{hs.Gaussian(noise_multiplier=1.0).bayes_error():.4f}")
        0.3085
        """
        priors = _validate.array_within("prior", prior, 0.0, 1.0)
        rarer = np.minimum(priors, 1.0 - priors)
        with np.errstate(divide="ignore"):
            # A little below the log of the odds, where delta is no smaller.
            epsilons = np.maximum(0.0, (np.log1p(-rarer) - np.log(rarer)) * _DOWN)
        deltas = np.asarray(self.delta(epsilon=epsilons))
        return _plain(np.maximum(0.0, rarer * (1.0 - deltas) * _DOWN))

    @documented_by(bayes_error)
    def ppv(self, *, prior: ArrayLike, fpr_floor: float) -> Any:
        """Upper bound on the precision of every membership test whose false-positive rate is at least a floor.

        Formula: pi TPR / (pi TPR + (1 - pi) FPR) with TPR = 1 - f(FPR), which falls as FPR grows and so is greatest at
        the floor. Unit: probability that an accused record is in. Without a floor it is of no use: as FPR falls to 0 it
        tends to 1 for every mechanism with an unbounded loss, the Gaussian among them.

        Parameters
        ----------
        fpr_floor : float
            In (0, 1].

        Returns
        -------
        float or numpy.ndarray
            Of the shape of `prior`.

        Examples
        --------
        >>> import hockeystick as hs
        >>> print(f"{hs.Gaussian(noise_multiplier=1.0).ppv(prior=0.01, fpr_floor=1e-3):.3f}")
        0.156
        """
        priors = _validate.array_within("prior", prior, 0.0, 1.0)
        ratio = self.likelihood_ratio(fpr=fpr_floor)
        odds = priors * ratio
        return _plain(np.minimum(1.0, odds / (odds + (1.0 - priors)) * _UP))

    @documented_by(bayes_error)
    def likelihood_ratio(self, *, fpr: ArrayLike) -> Any:
        """Upper bound on TPR / FPR of every test at a false-positive rate: what an accusation multiplies the odds by.

        Formula: (1 - f(FPR)) / FPR. Unit: factor on the odds, at least 1. It grows as FPR falls, without bound for
        unbounded losses.

        Parameters
        ----------
        fpr : float or array_like
            In (0, 1].

        Returns
        -------
        float or numpy.ndarray
            Of the shape of `fpr`.

        Examples
        --------
        >>> import hockeystick as hs
        >>> print(f"{hs.Gaussian(noise_multiplier=1.0).likelihood_ratio(fpr=1e-3):.2f}")
        18.30
        """
        rates = _validate.array_within("fpr", fpr, 0.0, 1.0)
        if (rates == 0.0).any():
            raise ValueError("fpr must be above 0, got 0.0")
        return _plain(np.asarray(self.tpr(rates)) / rates * _UP)

    @documented_by(bayes_error)
    def reidentification(self, *, candidates: int) -> float:
        """Upper bound on the probability of naming the record behind the output among equally likely candidates.

        Formula: 1 - f(1 / candidates). Unit: probability; a blind guess is right with 1 / candidates. Assumes that the
        target is one of the candidates, each as likely, independently of the rest of the data.

        Parameters
        ----------
        candidates : int
            At least 1.

        Returns
        -------
        float

        Examples
        --------
        >>> import hockeystick as hs
        >>> print(f"{hs.Gaussian(noise_multiplier=1.0).reidentification(candidates=100):.4f}")
        0.0924
        """
        number = _validate.count("candidates", candidates)
        if number < 1:
            raise ValueError(f"candidates must be at least 1, got {candidates!r}")
        return self.reconstruction(baseline=min(1.0, math.nextafter(1.0 / number, 2.0)))

    @documented_by(bayes_error)
    def attribute_inference(self, *, baseline: float) -> float:
        """Upper bound on the probability of inferring an attribute of a record whose other attributes are known.

        Formula: 1 - f(baseline); the attacker's gain over the baseline is at most 1 - f(baseline) - baseline. Unit:
        probability. Assumes that the attribute is drawn independently of the other records, `baseline` being the
        probability of its most likely value. Under ``replace`` the reference is the record with another value.

        Parameters
        ----------
        baseline : float
            In [0, 1]; not the prior of membership.

        Returns
        -------
        float

        Examples
        --------
        >>> import hockeystick as hs
        >>> print(f"{hs.Gaussian(noise_multiplier=1.0).attribute_inference(baseline=0.5):.4f}")
        0.8413
        """
        return self.reconstruction(baseline=baseline)

    @documented_by(bayes_error)
    def reconstruction(self, *, baseline: float) -> float:
        """Upper bound on the probability of reconstructing a record to within a given error.

        Formula: 1 - f(baseline). Unit: probability. Assumes a target drawn from a prior, independently of the other
        records; `baseline` is the greatest probability with which a guess made without the output meets the error
        criterion. Proof: in the world whose output does not depend on the target the guess succeeds with probability at
        most `baseline`; success is a test between the two worlds, and f is convex over targets.

        Parameters
        ----------
        baseline : float
            In [0, 1].

        Returns
        -------
        float

        Examples
        --------
        >>> import hockeystick as hs
        >>> print(f"{hs.Gaussian(noise_multiplier=1.0).reconstruction(baseline=0.01):.4f}")
        0.0924
        """
        return float(self.tpr(_validate.probability("baseline", baseline)))


def _plain(values: Any) -> Any:
    """A float for a scalar question, an array for an array."""
    return float(values) if np.ndim(values) == 0 else values
