# SPDX-License-Identifier: Apache-2.0
"""The sections of a report: which number stands in which sentence.

The words are held to rules that tests read off the generated text: a false-positive rate is the attacker's false
alarms, a true-positive rate what it finds; an upper bound is "at most"; mu is never without its floor; what is no bound
is called an approximation and never a guarantee.
"""

from .accounts import accounting, comparison
from .attacks import meaning, other_risks
from .curves import curves
from .guarantee import guarantee
from .headline import cards, relation_text
from .one_number import one_number
from .run import assumptions, mechanism

__all__ = [
    "accounting",
    "assumptions",
    "cards",
    "comparison",
    "curves",
    "guarantee",
    "meaning",
    "mechanism",
    "one_number",
    "other_risks",
    "relation_text",
]
