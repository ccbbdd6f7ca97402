# SPDX-License-Identifier: Apache-2.0
"""Write images/tradeoff.svg: the trade-off curve of the README's run, its Gaussian bound, and guessing.

Run: python docs/make_tradeoff_figure.py
"""

from pathlib import Path

import matplotlib as mpl

import hockeystick as hs
from hockeystick import plot

TARGET = Path(__file__).parent / "images" / "tradeoff.svg"


def main() -> None:
    figure = plot.tradeoff(hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000))
    TARGET.parent.mkdir(exist_ok=True)
    # Fixed identifiers and no date: the file changes only when the curve does. Outlines look alike everywhere.
    with mpl.rc_context({"svg.hashsalt": "hockeystick", "svg.fonttype": "path"}):
        figure.savefig(TARGET, metadata={"Date": None})


if __name__ == "__main__":
    main()
