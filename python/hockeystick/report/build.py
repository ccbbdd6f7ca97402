# SPDX-License-Identifier: Apache-2.0
"""From a mechanism to its report: asks the interface each number once."""

from __future__ import annotations

import dataclasses
import json
import math
import platform
import re
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import hockeystick as hs
from hockeystick import Mechanism, _validate
from hockeystick._docs import documented_by

from . import series
from .comparison import compare_accountants, has_renyi_curve
from .model import Report
from .notes import write_notes
from .parts import (
    REGRET_LIMIT,
    EngineSummary,
    EpsilonRow,
    FloorRow,
    GDPSummary,
    GuessRow,
    MechanismSummary,
    Part,
    PrecisionRow,
    Risks,
    TPRRow,
    Versions,
)
from .sampling import summarize_sampling

if TYPE_CHECKING:
    from hockeystick import GDPFit, TradeoffCurve

__all__ = ["FALSE_POSITIVE_RATES", "build_report"]

FALSE_POSITIVE_RATES = (1e-3, 1e-2, 5e-2, 1e-1)
_FLOORS = (1e-3, 1e-6, 1e-8, 1e-10, 1e-12)
_PRIORS, _TEST_FLOOR = (0.01, 0.1), 0.01
_BASELINES = (0.01, 0.1, 0.5)
NAMES = {
    "DPSGD": "DP-SGD",
    "PoissonSampled": "Gaussian on a Poisson sample",
    "PureDP": "pure differential privacy",
    "DiscreteGaussian": "discrete Gaussian",
    "DiscreteLaplace": "discrete Laplace",
    "MixtureOfGaussians": "mixture of Gaussians",
    "ApproximateDP": "approximate differential privacy",
    "GaussianDP": "Gaussian differential privacy",
    "ZCDP": "zero-concentrated differential privacy",
    "RenyiCurve": "Rényi curve",
    "NonPrivate": "release without privacy",
}


@documented_by(Mechanism.report)
def build_report(
    mechanism: Mechanism,
    *,
    delta: float,
    fpr_floor: float = 1e-10,
    delta0: float = 1e-10,
    dataset_size: int | None = None,
    unit: str | None = None,
    sampling_in_practice: str | None = None,
    tuning_included: bool = False,
    title: str | None = None,
    date: str | None = None,
    tolerance: float | None = None,
) -> Report:
    """Ask a mechanism everything that a report states.

    Parameters
    ----------
    mechanism : Mechanism
        What is reported on.

    Examples
    --------
    >>> import hockeystick as hs
    >>> from hockeystick.report import build_report
    >>> print(f"{build_report(hs.Gaussian(noise_multiplier=1.0), delta=1e-5).epsilon[0].upper:.3f}")
    4.377
    """
    delta = _validate.probability("delta", delta)
    unit = getattr(mechanism, "unit", "record") if unit is None else unit
    dataset_size = getattr(mechanism, "dataset_size", None) if dataset_size is None else dataset_size
    for name, text in {"unit": unit, "title": title, "date": date}.items():
        if text is not None and not isinstance(text, str):
            raise TypeError(f"{name} must be a string, got {text!r}")
        if text is not None and not text.strip():
            raise ValueError(f"{name} must not be empty, got {text!r}")
    if not isinstance(tuning_included, bool):
        raise TypeError(f"tuning_included must be True or False, got {tuning_included!r}")
    sampling = summarize_sampling(mechanism, dataset_size, sampling_in_practice)
    epsilon = _epsilon_rows(mechanism, delta, tolerance)
    fit = mechanism.gdp(fpr_floor=fpr_floor, delta0=delta0)
    curve = mechanism.tradeoff(fpr_floor=min(fpr_floor, 1e-15))
    gdp = _gdp_summary(fit)
    risks = _risks(curve)
    summary = summarize_mechanism(mechanism)
    return Report(
        title=title,
        date=date,
        unit=unit,
        relation=mechanism.relation,
        mechanism=summary,
        sampling=sampling,
        epsilon=epsilon,
        gdp=gdp,
        gdp_floors=_floor_rows(curve, fit),
        risks=risks,
        comparison=compare_accountants(mechanism, delta),
        notes=write_notes(
            mechanism=summary,
            sampling=sampling,
            epsilon=epsilon,
            risks=risks,
            relation=mechanism.relation,
            unit=unit,
            tuning_included=tuning_included,
            revealing=_revealing(mechanism),
        ),
        engine=EngineSummary(
            methods=tuple(dict.fromkeys(name for row in epsilon for name in row.method.split(", "))),
            tolerance=tolerance,
        ),
        versions=Versions(hockeystick=hs.__version__, numpy=version("numpy"), python=platform.python_version()),
        series=_series(mechanism, curve, fit, epsilon),
    )


def summarize_mechanism(mechanism: Mechanism) -> MechanismSummary:
    """Say what a mechanism is: in words, in code, in parts, and in the form that builds it again."""
    try:
        description = json.dumps(hs.to_dict(mechanism), sort_keys=True, allow_nan=False)
    except TypeError:
        description = None
    return MechanismSummary(
        name=name_of(mechanism),
        code=repr(mechanism),
        parameters=_parameters(mechanism),
        parts=tuple(
            Part(name=name_of(part), count=count, parameters=_parameters(part)) for part, count in mechanism._parts()
        ),
        description=description,
    )


def name_of(mechanism: Mechanism) -> str:
    """Say a mechanism's kind in words.

    >>> import hockeystick as hs
    >>> name_of(hs.Gaussian(noise_multiplier=1.0))
    'Gaussian'
    """
    name = type(mechanism).__name__
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return NAMES.get(name, words[:1] + words[1:].lower())


def _parameters(mechanism: Any) -> tuple[tuple[str, float | str], ...]:
    """Its fields, those of a mechanism inside it included; its parts and relation are told elsewhere."""
    found: dict[str, float | str] = {}
    for field in dataclasses.fields(mechanism):
        value = getattr(mechanism, field.name)
        if field.name in ("relation", "stated_relation", "parts") or field.name.startswith("_"):
            continue
        if isinstance(value, hs.Mechanism):
            found |= dict(_parameters(value))
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            found[field.name] = float(value)
        elif value is not None:
            text = str(value)
            found[field.name] = text if len(text) <= 60 else f"{type(value).__name__} of {len(value)}"
    return tuple(found.items())


def _epsilon_rows(mechanism: Mechanism, delta: float, tolerance: float | None) -> tuple[EpsilonRow, ...]:
    rows = []
    # 1e-5 * 0.1 is not 1e-6; the shortest decimal next to it is what is meant. delta itself stays what it is.
    smaller = (float(f"{delta * factor:.15g}") for factor in (0.1, 0.01))
    for asked in dict.fromkeys((delta, *smaller)):
        bounds = mechanism.epsilon_bounds(delta=asked, tolerance=tolerance)
        rows.append(EpsilonRow(delta=asked, lower=float(bounds.lower), upper=float(bounds.upper), method=bounds.method))
    return tuple(rows)


def _revealing(mechanism: Mechanism) -> tuple[str, ...]:
    """The parts that put mass at infinity: with that probability they tell the record outright."""
    return tuple(repr(part) for part, _ in mechanism._parts() if part.delta(epsilon=math.inf) > 0.0)


def _gdp_summary(fit: GDPFit) -> GDPSummary:
    names = {field.name for field in dataclasses.fields(GDPSummary)} - {"regret_limit"}
    return GDPSummary(regret_limit=REGRET_LIMIT, **{name: getattr(fit, name) for name in names})


def _floor_rows(curve: TradeoffCurve, fit: GDPFit) -> tuple[FloorRow, ...]:
    """Mu at usual floors and at the one asked for, the largest first; all read off one curve."""
    floors = sorted({*_FLOORS, fit.fpr_floor}, reverse=True)
    names = [field.name for field in dataclasses.fields(FloorRow)]
    fits = [fit if each.fpr_floor == fit.fpr_floor else each for each in curve.gdp_table(fpr_floors=floors).fits]
    return tuple(FloorRow(**{name: getattr(each, name) for name in names}) for each in fits)


def _risks(curve: TradeoffCurve) -> Risks:
    tpr = tuple(
        TPRRow(
            fpr=fpr,
            tpr_upper=float(curve.tpr(fpr)),
            # A true-positive rate is at most 1, which no rounding of the quotient is to exceed.
            likelihood_ratio_upper=min(float(curve.likelihood_ratio(fpr=fpr)), 1.0 / fpr),
        )
        for fpr in FALSE_POSITIVE_RATES
    )
    advantage = curve.advantage()
    return Risks(
        tpr=tpr,
        advantage_upper=advantage,
        # One step outwards: the sum rounds by at most that much, the half is exact.
        success_upper=min(1.0, math.nextafter((1.0 + advantage) / 2.0, 2.0)),
        precision=tuple(
            PrecisionRow(
                prior=prior, fpr_floor=_TEST_FLOOR, precision_upper=float(curve.ppv(prior=prior, fpr_floor=_TEST_FLOOR))
            )
            for prior in _PRIORS
        ),
        guesses=tuple(
            GuessRow(baseline=baseline, success_upper=curve.reconstruction(baseline=baseline))
            for baseline in _BASELINES
        ),
    )


def _series(mechanism: Mechanism, curve: TradeoffCurve, fit: GDPFit, epsilon: tuple[EpsilonRow, ...]) -> series.Series:
    parts = mechanism._parts()
    over_steps = None
    # Each point is a composition of its own: too slow where whole distributions are composed.
    if len(parts) == 1 and math.isfinite(epsilon[0].upper) and "fft" not in epsilon[0].method:
        by_epoch = isinstance(mechanism, hs.DPSGD) and mechanism.repetitions != mechanism.steps
        each = "epochs" if by_epoch else "steps"
        over_steps = series.steps(parts[0][0], parts[0][1], delta=epsilon[0].delta, each=each)
    return series.Series(
        tradeoff=series.tradeoff(curve, fit),
        profile=series.profile(mechanism, largest_epsilon=1.25 * epsilon[-1].upper),
        steps=over_steps,
        renyi=_renyi(mechanism, epsilon[0]),
    )


def _renyi(mechanism: Mechanism, row: EpsilonRow) -> series.RenyiSeries | None:
    """The Renyi curve, where there is a finite one and a delta to convert it at."""
    if not 0.0 < row.delta < 1.0 or not 0.0 < row.upper < math.inf or not has_renyi_curve(mechanism):
        return None
    found = series.renyi(mechanism, delta=row.delta)
    return found if all(map(math.isfinite, found.divergence_upper)) else None
