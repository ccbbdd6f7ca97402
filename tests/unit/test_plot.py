# SPDX-License-Identifier: Apache-2.0
"""Figures show the numbers of the interface, in one look, and touch no state of the caller."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

import hockeystick as hs

mpl = pytest.importorskip("matplotlib")

from hockeystick import plot
from hockeystick.plot import style

RUN = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
OTHER = hs.Gaussian(noise_multiplier=1.35)
AUDIT = hs.audit_counts(true_positives=[20, 300], positives=1000, false_positives=[10, 20], negatives=1000)
FIGURES = {
    "tradeoff": lambda: plot.tradeoff(RUN),
    "linear": lambda: plot.tradeoff(RUN, scale="linear"),
    "profile": lambda: plot.profile(RUN, largest_epsilon=3.0, marks=[(RUN.epsilon(delta=1e-5), 1e-5)]),
    "steps": lambda: plot.epsilon_over_steps(RUN, delta=1e-5, budget=1.0),
    "compare": lambda: plot.compare(
        {"sampled": hs.dpsgd(noise_multiplier=0.8, sampling_rate=0.01, steps=1000), "full": OTHER}
    ),
    "sensitivity": lambda: plot.sensitivity(RUN, delta=1e-5, points=5),
    "renyi": lambda: plot.renyi(RUN, delta=1e-5),
    "audit": lambda: plot.audit(AUDIT, claim=RUN),
}


@pytest.fixture(scope="module", params=FIGURES, ids=str)
def figure(request):
    return FIGURES[request.param]()


def lines(axes):
    return [np.asarray(line.get_xydata(), dtype=float) for line in axes.lines]


def test_every_axis_is_labelled_and_every_colour_is_of_the_palette(figure):
    allowed = {style.BLUE, style.VERMILION, style.GREEN, style.PURPLE, style.ORANGE, style.SKY, style.INK, style.MUTED}
    for number, axes in enumerate(figure.axes):
        assert axes.get_xlabel()
        assert axes.get_ylabel() or number
        styles = [(line.get_color(), line.get_linestyle(), line.get_marker()) for line in axes.lines]
        assert {color for color, _, _ in styles} <= allowed
        # Without colour, lines still differ.
        curves = [(kind, marker) for _, kind, marker in styles if kind != "None"]
        assert len(set(curves)) == len(curves)
    assert any(axes.get_title(loc="left") for axes in figure.axes)


def test_the_svg_stands_in_a_page(figure):
    text = plot.inline_svg(figure, name="unique", label='a "label"')
    root = ElementTree.fromstring(text)
    identifiers = [element.attrib["id"] for element in root.iter() if "id" in element.attrib]
    assert len(identifiers) == len(set(identifiers))
    assert all(name.startswith("unique-") for name in identifiers)
    assert not re.search(r"<style|<metadata|https?://(?!www\.w3\.org)", text)
    assert root.attrib["aria-label"] == 'a "label"'
    assert text.count("<text") or text.count(":text")
    assert not re.search(r"(?<!, )#[0-9a-f]{6}", text), "a colour that does not follow the page"


def test_the_same_figure_is_the_same_text():
    first, second = (plot.inline_svg(FIGURES["profile"](), name="a", label="b") for _ in range(2))
    assert first == second


def test_the_callers_settings_stay(figure):
    with mpl.rc_context({"font.size": 23.0, "lines.linewidth": 7.0}):
        plot.inline_svg(plot.tradeoff(OTHER), name="a", label="b")
        assert (mpl.rcParams["font.size"], mpl.rcParams["lines.linewidth"]) == (23.0, 7.0)


def test_tradeoff_shows_the_curve_its_bound_and_guessing():
    linear, logarithmic = plot.tradeoff(RUN).axes
    curve, gaussian, guessing = lines(linear)
    f = RUN.tradeoff(fpr_floor=1e-12)
    assert np.array_equal(curve[:, 1], f(curve[:, 0]))
    applies = (gaussian[:, 0] >= 1e-10) & (gaussian[:, 1] >= 1e-10)
    assert (gaussian[applies, 1] <= f(gaussian[applies, 0]) + 1e-12).all()
    assert (guessing[:, 0] + guessing[:, 1] == 1.0).all()
    rates, bound, diagonal = lines(logarithmic)
    assert np.array_equal(rates[:, 1], f.tpr(rates[:, 0]))
    # Both are certified, on profiles of different spacing.
    assert (bound[:, 1] >= rates[:, 1] * (1 - 1e-3)).all()
    assert np.array_equal(diagonal[:, 0], diagonal[:, 1])
    [label] = [line.get_label() for line in linear.lines if "Gaussian" in line.get_label()]
    assert label == "Gaussian, μ = 0.5223 (FPR ≥ 1e-10)"


def test_the_floor_is_the_one_asked_for_and_no_gaussian_is_drawn_for_an_infinite_mu():
    [label] = [line.get_label() for line in plot.tradeoff(RUN, fpr_floor=3e-7).axes[0].lines if "μ" in line.get_label()]
    assert label.endswith("(FPR ≥ 3e-7)")
    revealing = plot.tradeoff(hs.NonPrivate())
    assert [len(axes.lines) for axes in revealing.axes] == [2, 2]


def test_profile_shows_upper_bounds():
    [axes] = plot.profile(RUN, largest_epsilon=3.0).axes
    [curve] = lines(axes)
    assert np.allclose(curve[:, 1] * np.log(10), RUN.log_delta(epsilon=curve[:, 0]), rtol=1e-12)


def test_steps_end_at_the_run_and_count_what_fits():
    [axes] = plot.epsilon_over_steps(RUN, delta=1e-5, budget=1.0).axes
    curve = lines(axes)[0]
    assert tuple(curve[0]) == (0.0, 0.0)
    assert tuple(curve[-1]) == (1000.0, RUN.epsilon(delta=1e-5))
    assert (np.diff(curve[:, 1]) > 0).all()
    most = hs.max_steps(epsilon=1.0, delta=1e-5, noise_multiplier=1.0, sampling_rate=0.01)
    assert f"{most} steps fit" in [text.get_text() for text in axes.texts]
    # A series knows its points only.
    [axes] = plot.epsilon_over_steps(RUN.report(delta=1e-5).series.steps, budget=1.0).axes
    [told] = [found for text in axes.texts if (found := re.search(r"at least (\d+) steps fit", text.get_text()))]
    assert 0 < int(told[1]) <= most
    [axes] = plot.epsilon_over_steps(RUN, delta=1e-5, budget=2.0).axes
    assert not [text for text in axes.texts if "fit" in text.get_text()]


def test_renyi_shows_the_curve_and_its_best_order():
    curve, converted = plot.renyi(RUN, delta=1e-5).axes
    line, _ = lines(curve)
    assert np.allclose(line[:, 1], RUN.rdp(orders=line[:, 0]), rtol=1e-12)
    row = RUN.explain(delta=1e-5)["renyi_improved"]
    epsilon, mark = lines(converted)
    assert epsilon[:, 1].min() == mark[0, 1] == pytest.approx(row.epsilon, rel=1e-3)
    assert row.epsilon <= mark[0, 1] * (1 + 1e-12)
    assert mark[0, 0] == pytest.approx(row.order, rel=0.05)
    assert converted.texts[0].get_text() == "ε ≤ 2.102, order 7.78"


def test_compare_marks_a_certified_crossing():
    figure = FIGURES["compare"]()
    sampled = hs.dpsgd(noise_multiplier=0.8, sampling_rate=0.01, steps=1000)
    [(low, high)] = hs.compare({"sampled": sampled, "full": OTHER}).orderings[0].epsilon_crossings
    assert [text.get_text() for text in figure.axes[0].texts] == [f"cross at ε = {0.5 * (low + high):.3g}"]
    alike = plot.compare({"a": hs.Gaussian(noise_multiplier=1.0), "b": OTHER})
    assert not alike.axes[0].texts


def test_audit_says_which_attack_refutes():
    [axes] = FIGURES["audit"]().axes
    assert [patch.get_facecolor()[:3] for patch in axes.patches] == [
        mpl.colors.to_rgb(style.MUTED),
        mpl.colors.to_rgb(style.VERMILION),
    ]
    for patch, point in zip(axes.patches, AUDIT.points, strict=True):
        assert patch.get_x() + patch.get_width() == pytest.approx(point.fpr_upper)
        assert patch.get_y() == pytest.approx(point.tpr_lower)
    result = hs.audit_counts(
        true_positives=[20, 300], positives=1000, false_positives=[10, 20], negatives=1000, claim=RUN
    )
    assert result.refuted
    assert result.refuting_point == result.points[1]


@pytest.mark.parametrize(
    ("call", "error", "word"),
    [
        (lambda: plot.tradeoff(RUN, fpr_floor=0.7), ValueError, "fpr_floor"),
        (lambda: plot.tradeoff(RUN, scale="cubic"), ValueError, "scale"),
        (lambda: plot.profile(RUN, largest_epsilon=0.0), ValueError, "largest_epsilon"),
        (lambda: plot.epsilon_over_steps(RUN), TypeError, "delta"),
        (lambda: plot.epsilon_over_steps(OTHER, delta=1e-5), ValueError, "equal steps"),
        (lambda: plot.epsilon_over_steps(RUN, delta=1e-5, budget=-1.0), ValueError, "budget"),
        (lambda: plot.renyi(RUN), TypeError, "delta"),
        (lambda: plot.renyi(RUN, delta=2.0), ValueError, "delta"),
        (lambda: plot.compare({}), ValueError, "runs"),
        (lambda: plot.compare([RUN]), TypeError, "runs"),
        (
            lambda: plot.compare({"a": RUN, "b": hs.Gaussian(noise_multiplier=1.0, relation="replace")}),
            ValueError,
            "relation",
        ),
        (lambda: plot.compare({str(n): OTHER for n in range(9)}), ValueError, "runs"),
        (lambda: plot.sensitivity(OTHER, delta=1e-5), TypeError, "run"),
        (lambda: plot.sensitivity(RUN, delta=1e-5, factor=1.0), ValueError, "factor"),
        (lambda: plot.sensitivity(RUN, delta=1e-5, points=1), ValueError, "points"),
        (lambda: plot.audit(AUDIT, claim=1.0), TypeError, "claim"),
        (lambda: plot.audit(RUN, claim=RUN), TypeError, "result"),
        (lambda: plot.sensitivity(RUN, delta=2.0), ValueError, "delta"),
    ],
)
def test_mistakes_name_the_argument(call, error, word):
    with pytest.raises(error, match=word):
        call()
