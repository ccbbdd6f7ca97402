# SPDX-License-Identifier: Apache-2.0
"""The argument checks, one function a kind; every message is argument, rule, value."""

from __future__ import annotations

import math
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

RELATIONS = ("add_remove", "replace", "zero_out")
DIRECTIONS = ("remove", "add")

# Counts beyond this are no longer exact in double precision.
LARGEST_COUNT = 2**53


def real(name: str, value: Any) -> float:
    """A real number, not a boolean, not NaN."""
    if type(value) is float and value == value:  # noqa: PLR0124 - the plain case at once: abstract classes are slow
        return value
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a real number, got {value!r}")
    number = float(value)
    if math.isnan(number):
        raise ValueError(f"{name} must be a number, got nan")
    return number


def non_negative(name: str, value: Any) -> float:
    """A finite number of at least 0."""
    number = real(name, value)
    if not 0.0 <= number < math.inf:
        raise ValueError(f"{name} must be finite and at least 0, got {value!r}")
    return number


def at_least_zero(name: str, value: Any) -> float:
    """A number of at least 0, infinity included."""
    number = real(name, value)
    if not number >= 0.0:
        raise ValueError(f"{name} must be at least 0, got {value!r}")
    return number


def positive(name: str, value: Any) -> float:
    """A finite number above 0."""
    number = real(name, value)
    if not 0.0 < number < math.inf:
        raise ValueError(f"{name} must be finite and above 0, got {value!r}")
    return number


def probability(name: str, value: Any) -> float:
    """A number in [0, 1]."""
    number = real(name, value)
    if not 0.0 <= number <= 1.0:
        raise ValueError(f"{name} must be in [0, 1], got {value!r}")
    return number


def inner_probability(name: str, value: Any) -> float:
    """A number in (0, 1)."""
    number = real(name, value)
    if not 0.0 < number < 1.0:
        raise ValueError(f"{name} must be in (0, 1), got {value!r}")
    return number


def floor(value: Any) -> float:
    """A false-positive rate from which on a statement is to hold."""
    number = real("fpr_floor", value)
    if not 0.0 < number < 0.5:
        raise ValueError(f"fpr_floor must be in (0, 0.5), got {value!r}")
    return number


def threads(value: Any) -> int:
    """How many threads may work: a whole number from 1 to 1024."""
    number = count("threads", value)
    if not 1 <= number <= 1024:
        raise ValueError(f"threads must be from 1 to 1024, got {value!r}")
    return number


def mu(name: str, value: Any) -> float:
    """A number of at least 0; infinity is one."""
    number = real(name, value)
    if number < 0.0:
        raise ValueError(f"{name} must be at least 0, got {value!r}")
    return number


def count(name: str, value: Any) -> int:
    """A whole number of at least 0 (an integer type, or a float with a whole value)."""
    if type(value) is int and 0 <= value <= LARGEST_COUNT:
        return value
    number = real(name, value)
    if not 0.0 <= number <= LARGEST_COUNT or number != math.floor(number):
        raise ValueError(f"{name} must be a whole number in [0, 2^53], got {value!r}")
    return int(value)


def sample_of(batch_size: Any, dataset_size: Any) -> tuple[int, int]:
    """Batch and data set size: whole numbers of at least 1, the batch at most the data set."""
    records = positive_count("dataset_size", dataset_size)
    batch = positive_count("batch_size", batch_size)
    if batch > records:
        raise ValueError(f"batch_size must be at most dataset_size, got {batch_size!r} of {dataset_size!r}")
    return batch, records


def whole_sensitivity(name: str, value: Any) -> int:
    """A whole number in [1, 10^6]: tables of discrete noise are as long as it."""
    number = positive_count(name, value)
    if number > 10**6:
        raise ValueError(f"{name} must be in [1, 10^6], got {value!r}")
    return number


def positive_count(name: str, value: Any) -> int:
    """A whole number of at least 1."""
    number = count(name, value)
    if number < 1:
        raise ValueError(f"{name} must be a whole number of at least 1, got {value!r}")
    return number


def choice(name: str, value: Any, allowed: Sequence[str]) -> str:
    """One of the strings allowed."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a string, got {value!r}")
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(allowed)}, got {value!r}")
    return value


def numeric_array(name: str, value: Any) -> NDArray[np.float64]:
    """A non-empty array (or scalar, as a 0-d array) of real numbers without NaN."""
    array = np.asarray(value)
    if array.dtype == np.bool_ or not (
        np.issubdtype(array.dtype, np.integer) or np.issubdtype(array.dtype, np.floating)
    ):
        raise TypeError(f"{name} must be a real number or an array of them, got {value!r}")
    if array.size == 0:
        raise ValueError(f"{name} must not be empty, got {value!r}")
    result = np.asarray(array, dtype=np.float64)
    if np.isnan(result).any():
        raise ValueError(f"{name} must not hold nan, got {value!r}")
    return result


def array_within(name: str, value: Any, lower: float, upper: float) -> NDArray[np.float64]:
    """A non-empty array (or scalar) of numbers in [lower, upper]."""
    array = numeric_array(name, value)
    outside = array[(array < lower) | (array > upper)]
    if outside.size:
        rule = f"in [{lower:g}, {upper:g}]" if math.isfinite(upper) else f"at least {lower:g}"
        raise ValueError(f"{name} must be {rule}, got {float(outside.flat[0])!r}")
    return array


def values_within(name: str, value: Any, lower: float, upper: float) -> tuple[list[float], tuple[int, ...]]:
    """The numbers of a non-empty array in [lower, upper] one by one, and its shape: () for a scalar."""
    if type(value) is float and lower <= value <= upper:
        return [value], ()
    array = array_within(name, value, lower, upper)
    return array.ravel().tolist(), array.shape


def numbers(name: str, value: Any, *, lower: float = -math.inf) -> tuple[float, ...]:
    """A non-empty one-dimensional sequence of finite numbers of at least `lower`, as a tuple."""
    array = array_within(name, value, lower, math.inf)
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got {array.ndim} dimensions")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite, got {float(array[~np.isfinite(array)][0])!r}")
    return tuple(array.tolist())


def sum_to_one(name: str, values: Sequence[float]) -> None:
    """Raise unless probabilities sum to 1, up to what rounding and printing leave."""
    total = math.fsum(values)
    if abs(total - 1.0) > 1e-9:
        raise ValueError(f"{name} must sum to 1, got {total!r}")
