# SPDX-License-Identifier: Apache-2.0
"""One Hypothesis profile for everybody: the same examples on every run, and no deadline on a busy machine."""

from hypothesis import settings

settings.register_profile("fixed", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None, max_examples=1000)
settings.load_profile("fixed")
