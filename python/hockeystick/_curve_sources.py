# SPDX-License-Identifier: Apache-2.0
"""From what callers hold (points, tables, distributions) to the columns that the core makes curves of."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _core, _validate

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from .tradeoff import TradeoffCurve

    Columns = tuple[NDArray[np.float64], ...]
    LossTable = tuple[ArrayLike, ArrayLike, float]

_ROUNDOFF = float(np.finfo(np.float64).eps) / 2.0


class CertifiedPoints(NamedTuple):
    """Points of a profile: log_delta_lower <= log delta(epsilon) <= log_delta_upper, natural logs."""

    epsilon: NDArray[np.float64]
    log_delta_lower: NDArray[np.float64]
    log_delta_upper: NDArray[np.float64]


def column(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """A one-dimensional array of its own."""
    array = _validate.numeric_array(name, value)
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got {array.ndim} dimensions")
    return np.array(array, dtype=np.float64, order="C")


def optional_column(name: str, value: ArrayLike | None) -> NDArray[np.float64]:
    """The same, or no numbers."""
    return np.zeros(0) if value is None else column(name, value)


def frozen(columns: Any) -> Columns:
    """The columns, read-only."""
    for each in columns:
        each.flags.writeable = False
    return tuple(columns)


def rates(
    fpr: ArrayLike, fnr: ArrayLike | None, tpr: ArrayLike | None
) -> tuple[tuple[NDArray[np.float64], NDArray[np.float64], bool], NDArray[np.float64]]:
    """((fpr, the other rate, whether that is the TPR), tpr), checked to be rates of one length, in order of FPR."""
    if (fnr is None) == (tpr is None):
        raise ValueError("points must come with one of fnr and tpr, got " + ("neither" if fnr is None else "both"))
    name, other = ("tpr", tpr) if fnr is None else ("fnr", fnr)
    first, second = column("fpr", fpr), column(name, other)  # type: ignore[arg-type]  # one of the two is given
    for label, array in (("fpr", first), (name, second)):
        _validate.array_within(label, array, 0.0, 1.0)
    if first.shape != second.shape:
        raise ValueError(f"{name} must have the length of fpr, got {second.size} and {first.size}")
    order = np.argsort(first, kind="stable")
    first, second = first[order], second[order]
    return (first, second, fnr is None), second if fnr is None else 1.0 - second


def tests_profile(fpr: NDArray[np.float64], other: NDArray[np.float64], is_tpr: bool) -> Columns:
    """Profile of the polygon through the points and their mirror images."""
    with np.errstate(divide="ignore"):
        log_fpr, log_tnr, log_other, log_rest = np.log(fpr), np.log1p(-fpr), np.log(other), np.log1p(-other)
    log_tpr, log_fnr = (log_other, log_rest) if is_tpr else (log_rest, log_other)
    finite = [np.abs(x[np.isfinite(x)]).max(initial=0.0) for x in (log_fpr, log_tpr, log_fnr, log_tnr)]
    rounding = 2.0 * _ROUNDOFF * (1.0 + max(finite))
    return _core.profile_of_tests(log_fpr, log_tpr, log_fnr, log_tnr, rounding)


def samples_profile(fpr: NDArray[np.float64], tpr: NDArray[np.float64]) -> Columns:
    """Profile of a polygon that lies below every convex curve through the points."""
    keep = np.concatenate([[True], np.diff(fpr) > 0.0])
    fpr, tpr = fpr[keep], tpr[keep]
    if fpr.size < 2 or (np.diff(tpr) < 0.0).any():
        raise ValueError("samples must be at least two with TPR that does not fall as FPR grows, got others")
    # 1 - fnr is right to one rounding: a rate a little larger only lowers the curve.
    return tests_profile(*_core.vertices_below_samples(fpr, np.minimum(1.0, np.nextafter(tpr, 2.0))), True)


def tables_profile(remove: LossTable, add: LossTable) -> Columns:
    """Profile of the larger of two tabulated loss distributions."""
    return _core.tabulated_profile(_loss_table("remove", remove), _loss_table("add", add))


def log_masses(p: ArrayLike, q: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Natural logs of two distributions over the same outcomes."""
    columns = []
    for name, value in (("p", p), ("q", q)):
        masses = _validate.array_within(name, column(name, value), 0.0, 1.0)
        if abs(math.fsum(masses) - 1.0) > 1e-9:
            raise ValueError(f"{name} must add up to 1, got {math.fsum(masses)!r}")
        with np.errstate(divide="ignore"):
            columns.append(np.log(masses))
    if columns[0].shape != columns[1].shape:
        raise ValueError(f"q must have the length of p, got {columns[1].size} and {columns[0].size}")
    return columns[0], columns[1]


def same_relation(curves: Iterable[TradeoffCurve]) -> list[TradeoffCurve]:
    """The curves as a list: at least one, all under one relation."""
    each = list(curves)
    if not each:
        raise ValueError("curves must hold at least one curve, got none")
    relations = sorted({curve.relation for curve in each})
    if len(relations) > 1:
        raise ValueError(f"curves must share one relation, got {', '.join(relations)}")
    return each


def _loss_table(name: str, table: LossTable) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    if len(table) != 3:
        raise TypeError(f"{name} must be (losses, masses, infinity_mass), got {table!r}")
    losses, masses = column(f"{name} losses", table[0]), column(f"{name} masses", table[1])
    return losses, masses, _validate.probability(f"{name} infinity_mass", table[2])
