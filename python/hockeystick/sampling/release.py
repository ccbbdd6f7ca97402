# SPDX-License-Identifier: Apache-2.0
"""What can be sampled."""

from __future__ import annotations

from ..mechanisms import Mechanism


def check_release(base: object) -> Mechanism:
    """Raise unless `base` is one release with loss laws, and return it."""
    if not isinstance(base, Mechanism):
        raise TypeError(f"base must be a mechanism, got {base!r}")
    if not base._known_exactly():
        raise ValueError(
            f"base must have a pair of distributions for sampling, got {base!r}, known by a Renyi curve alone"
        )
    if not base._is_single():
        raise ValueError(f"base must be one release for sampling, got {base!r}: sample each of its releases")
    return base
