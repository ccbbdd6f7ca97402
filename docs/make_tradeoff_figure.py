# SPDX-License-Identifier: Apache-2.0
"""Write images/tradeoff.svg: the trade-off curve of the README's run, its Gaussian bound, and guessing.

Run: python docs/make_tradeoff_figure.py
"""

from pathlib import Path
from statistics import NormalDist

import matplotlib as mpl
import numpy as np

mpl.use("svg")
from matplotlib import pyplot as plt

import hockeystick as hs

TARGET = Path(__file__).parent / "images" / "tradeoff.svg"
# From the colour-blind-safe palette of Okabe and Ito.
BLUE, VERMILION, GREY = "#0072B2", "#D55E00", "#666666"


def gaussian_tradeoff(alpha: np.ndarray, mu: float) -> np.ndarray:
    """Return f_mu(alpha) = Phi(Phi^-1(1 - alpha) - mu) for 0 < alpha < 1."""
    normal = NormalDist()
    return np.array([normal.cdf(-normal.inv_cdf(a) - mu) for a in alpha])


def draw(run: hs.Mechanism) -> plt.Figure:
    """Draw the curves on linear axes and, as attack rates, on logarithmic ones."""
    curve, fit = run.tradeoff(), run.gdp()
    figure, (linear, logarithmic) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
    alpha = np.linspace(0.0, 1.0, 501)[1:-1]
    label = f"Gaussian, $\\mu$ = {fit.mu:.3f} (FPR ≥ {fit.fpr_floor:g})"
    linear.plot(alpha, curve(alpha), color=BLUE, lw=2, label="$f$, certified lower bound")
    linear.plot(alpha, gaussian_tradeoff(alpha, fit.mu), color=VERMILION, lw=1.5, ls="--", label=label)
    linear.plot([0, 1], [1, 0], color=GREY, lw=1, ls=":", label="guessing")
    linear.set(
        xlabel="false-positive rate", ylabel="least false-negative rate", xlim=(0, 1), ylim=(0, 1), aspect="equal"
    )

    alpha = np.logspace(-8, 0, 401)[:-1]
    logarithmic.loglog(alpha, 1 - curve(alpha), color=BLUE, lw=2)
    logarithmic.loglog(alpha, 1 - gaussian_tradeoff(alpha, fit.mu), color=VERMILION, lw=1.5, ls="--")
    logarithmic.loglog(alpha, alpha, color=GREY, lw=1, ls=":")
    logarithmic.set(xlabel="false-positive rate", ylabel="largest true-positive rate", xlim=(1e-8, 1), ylim=(1e-8, 1))
    figure.legend(loc="outside lower center", ncols=3, frameon=False)
    figure.suptitle("DP-SGD: noise multiplier 1, sampling rate 0.01, 1000 steps")
    return figure


def main() -> None:
    # Fixed identifiers and no date: the file changes only when the curve does.
    plt.rcParams.update(
        {"svg.hashsalt": "hockeystick", "svg.fonttype": "path", "axes.spines.top": False, "axes.spines.right": False}
    )
    figure = draw(hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000))
    TARGET.parent.mkdir(exist_ok=True)
    figure.savefig(TARGET, metadata={"Date": None})


if __name__ == "__main__":
    main()
