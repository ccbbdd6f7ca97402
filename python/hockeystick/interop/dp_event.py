# SPDX-License-Identifier: Apache-2.0
"""Events of dp-accounting to mechanisms, read by their names and fields: dp-accounting itself is not imported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _validate
from ..mechanisms import (
    ZCDP,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    Mechanism,
    MixtureOfGaussians,
    NonPrivate,
    RandomizedResponse,
    compose,
)
from ..sampling import TruncatedPoisson, WithoutReplacement

if TYPE_CHECKING:
    from collections.abc import Callable


class UnsupportedEvent(ValueError):
    """An event that has no mechanism here, or none under the relation in use.

    Attributes
    ----------
    event : object
        The event, or the part of it, that is meant.
    """

    def __init__(self, event: Any, reason: str) -> None:
        super().__init__(reason)
        self.event = event


def mechanism_from_event(event: Any, *, relation: str = "add_remove") -> Mechanism:
    """Mechanism that an event of dp-accounting describes.

    Parameters
    ----------
    event : dp_accounting.DpEvent or its named tuple
        As an object, or as ``event.to_named_tuple()`` gives it; only the name of the class and the fields are read.
    relation : {"add_remove", "replace", "zero_out"}
        The neighbouring relation; dp-accounting's ADD_OR_REMOVE_ONE, REPLACE_ONE, REPLACE_SPECIAL.

    Returns
    -------
    Mechanism
        Under `relation`. An event's noise multiplier is relative to the contribution of one record, and replacing a
        record exchanges two contributions: under "replace" the noise counts half.

    Raises
    ------
    UnsupportedEvent
        A ValueError: for an event without a mechanism here; its ``event`` is the part that is meant.

    Examples
    --------
    >>> from collections import namedtuple
    >>> from hockeystick.interop.dp_event import mechanism_from_event
    >>> Event = namedtuple("Event", ["module_name", "class_name", "noise_multiplier"])
    >>> mechanism_from_event(Event("dp_accounting.dp_event", "GaussianDpEvent", 2.0))
    Gaussian(noise_multiplier=2.0, relation='add_remove')
    """
    _validate.choice("relation", relation, _validate.RELATIONS)
    name = _name(event)
    if name not in _READERS:
        raise UnsupportedEvent(event, f"event must be one of {', '.join(_READERS)}, got {name}")
    try:
        return _READERS[name](event, relation)
    except UnsupportedEvent:
        raise
    except (TypeError, ValueError) as error:
        raise UnsupportedEvent(event, str(error)) from error


def _name(event: Any) -> str:
    """Name of the event's class; a named tuple of an event carries it as a field, perhaps as bytes."""
    name = getattr(event, "class_name", type(event).__name__)
    return name.decode() if isinstance(name, bytes) else str(name)


def _nothing(relation: str) -> Mechanism:
    return 0 * Gaussian(noise_multiplier=1.0, relation=relation)


def _no_op(event: Any, relation: str) -> Mechanism:
    return _nothing(relation)


def _non_private(event: Any, relation: str) -> Mechanism:
    return NonPrivate(relation=relation)


def _gaussian(event: Any, relation: str) -> Mechanism:
    return Gaussian(noise_multiplier=_noise(event, relation), relation=relation)


def _laplace(event: Any, relation: str) -> Mechanism:
    return Laplace(noise_multiplier=_noise(event, relation), relation=relation)


def _noise(event: Any, relation: str) -> float:
    noise = _validate.non_negative("noise_multiplier", event.noise_multiplier)
    return noise / 2.0 if relation == "replace" else noise


def _discrete_laplace(event: Any, relation: str) -> Mechanism:
    decay = _validate.non_negative("noise_parameter", event.noise_parameter)
    if decay == 0.0:
        # Spread over all integers alike, which is no distribution: dp-accounting calls that no privacy, and so do we.
        return NonPrivate(relation=relation)
    sensitivity = _validate.positive_count("sensitivity", event.sensitivity)
    return DiscreteLaplace(
        scale=1.0 / decay, sensitivity=2 * sensitivity if relation == "replace" else sensitivity, relation=relation
    )


def _randomized_response(event: Any, relation: str) -> Mechanism:
    if event.num_buckets == 1:
        return _nothing(relation)
    return RandomizedResponse(noise_probability=event.noise_parameter, categories=event.num_buckets, relation=relation)


def _mixture_of_gaussians(event: Any, relation: str) -> Mechanism:
    return MixtureOfGaussians(
        noise_std=event.standard_deviation,
        sensitivities=tuple(event.sensitivities),
        probabilities=tuple(event.sampling_probs),
        relation=relation,
    )


def _self_composed(event: Any, relation: str) -> Mechanism:
    return mechanism_from_event(event.event, relation=relation) * _validate.count("count", event.count)


def _composed(event: Any, relation: str) -> Mechanism:
    return compose([_nothing(relation), *(mechanism_from_event(each, relation=relation) for each in event.events)])


def _poisson_sampled(event: Any, relation: str) -> Mechanism:
    return mechanism_from_event(event.event, relation=relation).poisson(event.sampling_probability)


def _without_replacement(event: Any, relation: str) -> Mechanism:
    # A record that is exchanged for another moves the sum by two contributions, whatever the relation of the result.
    return WithoutReplacement(
        base=mechanism_from_event(event.event, relation="replace"),
        batch_size=event.sample_size,
        dataset_size=event.source_dataset_size,
        relation=relation,
    )


def _with_replacement(event: Any, relation: str) -> Mechanism:
    base = mechanism_from_event(event.event, relation=relation)
    return base.with_replacement(batch_size=event.sample_size, dataset_size=event.source_dataset_size)


def _truncated_poisson(event: Any, relation: str) -> Mechanism:
    return TruncatedPoisson(
        noise_multiplier=event.noise_multiplier,
        sampling_rate=event.sampling_probability,
        dataset_size=event.dataset_size,
        truncated_batch_size=event.truncated_batch_size,
        relation=relation,
    )


def _zero_concentrated(event: Any, relation: str) -> Mechanism:
    return ZCDP(rho=event.rho, xi=event.xi, relation=relation)


_READERS: dict[str, Callable[[Any, str], Mechanism]] = {
    "NoOpDpEvent": _no_op,
    "NonPrivateDpEvent": _non_private,
    "GaussianDpEvent": _gaussian,
    "LaplaceDpEvent": _laplace,
    "DiscreteLaplaceDpEvent": _discrete_laplace,
    "RandomizedResponseDpEvent": _randomized_response,
    "MixtureOfGaussiansDpEvent": _mixture_of_gaussians,
    "SelfComposedDpEvent": _self_composed,
    "ComposedDpEvent": _composed,
    "PoissonSampledDpEvent": _poisson_sampled,
    "SampledWithoutReplacementDpEvent": _without_replacement,
    "SampledWithReplacementDpEvent": _with_replacement,
    "TruncatedSubsampledGaussianDpEvent": _truncated_poisson,
    "ZCDpEvent": _zero_concentrated,
}
