# SPDX-License-Identifier: Apache-2.0
"""An accountant for dp-accounting, and mechanisms to its events. Importing this module imports dp-accounting."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import dp_accounting as peer

from ..dpsgd import DPSGD
from ..mechanisms import (
    ZCDP,
    Composition,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    Mechanism,
    MixtureOfGaussians,
    NonPrivate,
    PoissonSampled,
    RandomizedResponse,
)
from ..sampling import TruncatedPoisson, WithoutReplacement, WithReplacement
from .dp_event import UnsupportedEvent, mechanism_from_event

_RELATIONS = {
    peer.NeighboringRelation.ADD_OR_REMOVE_ONE: "add_remove",
    peer.NeighboringRelation.REPLACE_ONE: "replace",
    peer.NeighboringRelation.REPLACE_SPECIAL: "zero_out",
}


class Accountant(peer.PrivacyAccountant):
    """A dp-accounting accountant that answers by this package: upper bounds of epsilon and delta.

    What dp-accounting does with an accountant works with this one, ``calibrate_dp_mechanism`` included.

    Parameters
    ----------
    neighboring_relation : dp_accounting.NeighboringRelation
        Of all events.

    Examples
    --------
    >>> import dp_accounting
    >>> from hockeystick.interop.dp_accounting import Accountant
    >>> event = dp_accounting.PoissonSampledDpEvent(0.01, dp_accounting.GaussianDpEvent(1.0))
    >>> print(f"{Accountant().compose(event, 1000).get_epsilon(1e-5):.5f}")
    1.82824
    """

    def __init__(self, neighboring_relation: Any = peer.NeighboringRelation.ADD_OR_REMOVE_ONE) -> None:
        super().__init__(neighboring_relation)
        self._total = mechanism_from_event(peer.NoOpDpEvent(), relation=_RELATIONS[neighboring_relation])

    def _maybe_compose(self, event: Any, count: int, do_compose: bool) -> Any:
        try:
            mechanism = mechanism_from_event(event, relation=_RELATIONS[self.neighboring_relation])
        except UnsupportedEvent as error:
            return self.CompositionErrorDetails(invalid_event=error.event, error_message=str(error))
        if do_compose:
            self._total = self._total + count * mechanism
        return None

    @property
    def mechanism(self) -> Mechanism:
        """All that was composed, as one mechanism: it answers every other question."""
        return self._total

    def get_epsilon(self, target_delta: float) -> float:
        """Upper bound on epsilon at `target_delta`."""
        return float(self._total.epsilon(delta=target_delta))

    def get_delta(self, target_epsilon: float) -> float:
        """Upper bound on delta at `target_epsilon`."""
        return float(self._total.delta(epsilon=target_epsilon))


def event_from_mechanism(mechanism: Mechanism) -> Any:
    """Event of dp-accounting that describes a mechanism: the inverse of ``dp_event.mechanism_from_event``.

    Parameters
    ----------
    mechanism : Mechanism
        Under any relation; the event does not carry it, an accountant of dp-accounting does.

    Returns
    -------
    dp_accounting.DpEvent

    Raises
    ------
    TypeError
        If it is no mechanism.
    ValueError
        If dp-accounting has no such event.

    Examples
    --------
    >>> import hockeystick as hs
    >>> from hockeystick.interop.dp_accounting import event_from_mechanism
    >>> event_from_mechanism(3 * hs.Gaussian(noise_multiplier=2.0))
    SelfComposedDpEvent(event=GaussianDpEvent(noise_multiplier=2.0), count=3)
    """
    if not isinstance(mechanism, Mechanism):
        raise TypeError(f"mechanism must be a mechanism, got {mechanism!r}")
    if isinstance(mechanism, (Composition, DPSGD)):
        return _composed(mechanism)
    if isinstance(mechanism, PoissonSampled):
        return peer.PoissonSampledDpEvent(mechanism.sampling_rate, event_from_mechanism(mechanism.base))
    write = _WRITERS.get(type(mechanism))
    event = None if write is None else write(mechanism)
    if event is not None:
        return event
    raise ValueError(f"mechanism must have an event in dp-accounting, got {mechanism!r}")


def _composed(mechanism: Mechanism) -> Any:
    events = [
        event_from_mechanism(part) if count == 1 else peer.SelfComposedDpEvent(event_from_mechanism(part), count)
        for part, count in mechanism._parts()
    ]
    if not events:
        return peer.NoOpDpEvent()
    return events[0] if len(events) == 1 else peer.ComposedDpEvent(events)


def _contributions(mechanism: Any) -> int:
    """How many records' contributions the sensitivity is of: what is exchanged under "replace" are two."""
    return 2 if mechanism.relation == "replace" else 1


def _discrete_laplace(mechanism: DiscreteLaplace) -> Any:
    sensitivity, rest = divmod(mechanism.sensitivity, _contributions(mechanism))
    return None if rest else peer.dp_event.DiscreteLaplaceDpEvent(1.0 / mechanism.scale, sensitivity)


def _zero_concentrated(mechanism: ZCDP) -> Any:
    return peer.ZCDpEvent(mechanism.rho, mechanism.xi) if mechanism.greatest_order == math.inf else None


# One release each; None where dp-accounting cannot say it.
_WRITERS: dict[type[Mechanism], Callable[[Any], Any]] = {
    NonPrivate: lambda each: peer.NonPrivateDpEvent(),
    Gaussian: lambda each: peer.GaussianDpEvent(each.noise_multiplier * _contributions(each)),
    Laplace: lambda each: peer.LaplaceDpEvent(each.noise_multiplier * _contributions(each)),
    DiscreteLaplace: _discrete_laplace,
    RandomizedResponse: lambda each: peer.RandomizedResponseDpEvent(each.noise_probability, each.categories),
    MixtureOfGaussians: lambda each: peer.dp_event.MixtureOfGaussiansDpEvent(
        each.noise_std, list(each.sensitivities), list(each.probabilities)
    ),
    TruncatedPoisson: lambda each: peer.dp_event.TruncatedSubsampledGaussianDpEvent(
        each.dataset_size, each.sampling_rate, each.truncated_batch_size, each.noise_multiplier
    ),
    WithoutReplacement: lambda each: peer.SampledWithoutReplacementDpEvent(
        each.dataset_size, each.batch_size, event_from_mechanism(each.base)
    ),
    WithReplacement: lambda each: peer.SampledWithReplacementDpEvent(
        each.dataset_size, each.batch_size, event_from_mechanism(each.base)
    ),
    ZCDP: _zero_concentrated,
}
