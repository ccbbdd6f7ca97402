# SPDX-License-Identifier: Apache-2.0
"""What the command ``dpsgd`` states: every number computed once, shown as text or as JSON."""

import decimal
import math
from dataclasses import dataclass
from typing import Any

import hockeystick as hs

__all__ = ["DpsgdSummary", "round_down", "round_up"]

FALSE_POSITIVE_RATES = (1e-3, 1e-2, 5e-2)
# With less regret than this the one number mu may stand for the whole curve.
REGRET_LIMIT = 0.01
SAMPLING_TEXT = {"poisson": "Poisson: every record joins every batch independently with probability {rate}"}
RELATION_TEXT = {
    "add_remove": "add or remove one record (add_remove)",
    "zero_out": "blank one record (zero_out)",
    "replace": "replace one record (replace): twice the sensitivity of add_remove",
}


@dataclass(frozen=True, kw_only=True)
class DpsgdSummary:
    """The guarantee of one DP-SGD run; every number is an upper bound unless its name says otherwise."""

    noise_multiplier: float
    sampling_rate: float
    steps: int
    sampling: str
    relation: str
    expected_participations: float
    delta: float
    epsilon_lower: float
    epsilon_upper: float
    method: str
    mu: float
    mu_literal: float
    fpr_floor: float
    residual: float
    regret: float
    delta_divergence: float
    tpr_upper: tuple[tuple[float, float], ...]

    @classmethod
    def compute(
        cls,
        *,
        noise_multiplier: float,
        sampling_rate: float,
        steps: int,
        delta: float,
        fpr_floor: float,
        relation: str,
    ) -> "DpsgdSummary":
        """Ask the API; ValueError where an argument makes no sense."""
        run = hs.dpsgd(noise_multiplier=noise_multiplier, sampling_rate=sampling_rate, steps=steps, relation=relation)
        epsilon = run.epsilon_bounds(delta=delta)
        fit = run.gdp(fpr_floor=fpr_floor)
        curve = run.tradeoff()
        # One step outwards: the subtraction rounds by at most that much.
        tpr_upper = tuple(
            (rate, min(1.0, math.nextafter(1.0 - float(curve(rate)), 2.0))) for rate in FALSE_POSITIVE_RATES
        )
        return cls(
            noise_multiplier=run.noise_multiplier,
            sampling_rate=run.sampling_rate,
            steps=run.steps,
            sampling=run.sampling,
            relation=run.relation,
            expected_participations=run.expected_participations,
            delta=delta,
            epsilon_lower=float(epsilon.lower),
            epsilon_upper=float(epsilon.upper),
            method=epsilon.method,
            mu=fit.mu,
            mu_literal=fit.literal,
            fpr_floor=fit.fpr_floor,
            residual=fit.residual,
            regret=fit.regret,
            delta_divergence=fit.delta_divergence,
            tpr_upper=tpr_upper,
        )

    @property
    def mu_may_stand_for_the_curve(self) -> bool:
        """Whether the regret is below the limit; false where mu is infinite."""
        return self.regret < REGRET_LIMIT and math.isfinite(self.mu)

    def as_json(self) -> dict[str, Any]:
        """Return plain values under stable keys; infinity becomes the string ``inf``."""
        return {
            "format": "hockeystick.dpsgd/1",
            "hockeystick_version": hs.__version__,
            "noise_multiplier": self.noise_multiplier,
            "sampling_rate": self.sampling_rate,
            "steps": self.steps,
            "sampling": self.sampling,
            "relation": self.relation,
            "expected_participations": self.expected_participations,
            "delta": self.delta,
            "epsilon": _json_number(self.epsilon_upper),
            "epsilon_bounds": {"lower": _json_number(self.epsilon_lower), "upper": _json_number(self.epsilon_upper)},
            "method": self.method,
            "gdp": {
                "mu": _json_number(self.mu),
                "fpr_floor": self.fpr_floor,
                "residual": _json_number(self.residual),
                "mu_literal": _json_number(self.mu_literal),
                "regret": _json_number(self.regret),
                "delta_divergence": _json_number(self.delta_divergence),
                "mu_may_stand_for_the_curve": self.mu_may_stand_for_the_curve,
            },
            "tpr_upper": [{"fpr": fpr, "tpr": tpr} for fpr, tpr in self.tpr_upper],
        }

    def as_text(self) -> str:
        """Return a page for people; what is rounded is rounded to the safe side."""
        rate = f"{self.sampling_rate:.6g}"
        verdict = (
            f"below {REGRET_LIMIT}: mu may stand for the whole curve"
            if self.mu_may_stand_for_the_curve
            else f"not below {REGRET_LIMIT}: state the curve, not mu alone"
        )
        rows = [
            ("noise multiplier", f"{self.noise_multiplier:g}"),
            ("sampling", SAMPLING_TEXT[self.sampling].format(rate=rate)),
            ("relation", RELATION_TEXT[self.relation]),
            ("steps", f"{self.steps}; each record is expected in {self.expected_participations:.4g} batches"),
            ("", ""),
            (f"epsilon at delta = {self.delta:g}", self._epsilon_text()),
            ("mu", f"{round_up(self.mu)}, for false-positive rates of at least {self.fpr_floor:g}"),
            ("  below that rate", f"true-positive rate at most {round_up(self.residual)}"),
            ("  literal mu", f"{round_up(self.mu_literal)}, for every false-positive rate"),
            ("  regret", f"{round_up(self.regret)}, {verdict}"),
            ("", ""),
            *((f"at {fpr * 100:g} % false positives", _tpr_text(tpr)) for fpr, tpr in self.tpr_upper),
        ]
        width = max(len(label) for label, _ in rows)
        lines = [f"{label:<{width}}  {text}".rstrip() for label, text in rows]
        return "\n".join(["DP-SGD", *lines])

    def _epsilon_text(self) -> str:
        if math.isinf(self.epsilon_upper):
            return "infinite: no finite epsilon holds at this delta"
        # Enough digits for the two ends to differ.
        bracket = f"[{round_down(self.epsilon_lower, 8)}, {round_up(self.epsilon_upper, 8)}]"
        return f"{round_up(self.epsilon_upper, 5)}, an upper bound; the exact value lies in {bracket}"


def round_up(value: float, digits: int = 4) -> str:
    """Write a number with so many digits, never below it.

    >>> round_up(2.38167)
    '2.382'
    """
    return _rounded(value, digits, decimal.ROUND_CEILING)


def round_down(value: float, digits: int = 4) -> str:
    """Write a number with so many digits, never above it.

    >>> round_down(2.38167)
    '2.381'
    """
    return _rounded(value, digits, decimal.ROUND_FLOOR)


def _rounded(value: float, digits: int, rounding: str) -> str:
    if not math.isfinite(value):
        return str(value)
    # Unary plus rounds to the context's precision.
    exact = decimal.Context(prec=digits, rounding=rounding).plus(decimal.Decimal(value))
    return f"{float(exact):.{digits}g}"


def _tpr_text(tpr: float) -> str:
    return f"at most {round_up(100 * tpr, 3)} % true positives"


def _json_number(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)
