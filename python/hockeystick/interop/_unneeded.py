# SPDX-License-Identifier: Apache-2.0
"""Settings of other tools' numerics, which their calls pass and which nothing here depends on."""

from __future__ import annotations

from .. import _validate


def check_unneeded(**settings: float | None) -> None:
    """Raise for a setting that no tool could mean: all are positive numbers; None stands for "not given"."""
    for name, value in settings.items():
        if value is not None:
            _validate.positive(name, value)
