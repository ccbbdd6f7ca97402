# SPDX-License-Identifier: Apache-2.0
"""One report, many forms: the numbers come from the interface, agree everywhere, and read back exactly."""

import dataclasses
import json
import math
import pickle
import re
import subprocess
import sys
from decimal import Decimal
from html.parser import HTMLParser

import jsonschema
import pytest

import hockeystick as hs
from hockeystick.report import Report, schema
from hockeystick.report.audience import AUDIENCES

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")

RUN = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
TOTAL = 50 * hs.Gaussian(noise_multiplier=40.0) + 1000 * hs.Gaussian(noise_multiplier=1.0).poisson(0.01)
CASES = {
    "dpsgd": (
        RUN,
        {"delta": 1e-5, "dataset_size": 60_000, "unit": "person", "date": "2030-01-31", "title": "A <run> & more"},
    ),
    "gentle": (hs.dpsgd(noise_multiplier=20.0, sampling_rate=0.1, steps=1000), {"delta": 1e-6}),
    "composition": (TOTAL, {"delta": 1e-5}),
    "one release": (hs.Gaussian(noise_multiplier=1.0), {"delta": 1e-5, "tolerance": 1e-6}),
    "no noise": (hs.dpsgd(noise_multiplier=0.0, sampling_rate=0.01, steps=10), {"delta": 1e-5}),
    "no steps": (hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=0), {"delta": 1e-5}),
    "delta zero": (RUN, {"delta": 0.0}),
    "delta large": (hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.00105, steps=1), {"delta": 1e-3}),
    "pure": (hs.RandomizedResponse(noise_probability=0.5), {"delta": 1e-5}),
    "mass at infinity": (hs.ApproximateDP(epsilon=1.0, delta=1e-4), {"delta": 1e-5}),
    "discrete": (hs.DiscreteGaussian(sigma=2.0), {"delta": 1e-5}),
    "by its curve": (hs.ZCDP(rho=0.1), {"delta": 1e-5}),
    "replace": (hs.dpsgd(noise_multiplier=1.0, sampling_rate=1.0, steps=1, relation="replace"), {"delta": 1e-5}),
}


@pytest.fixture(scope="module", params=CASES, ids=str)
def report(request):
    mechanism, options = CASES[request.param]
    return mechanism.report(**options)


@pytest.fixture(scope="module", params=["dpsgd", "composition", "no noise", "delta large"])
def page_and_report(request):
    mechanism, options = CASES[request.param]
    report = mechanism.report(**options)
    return report.render("html"), report


@pytest.fixture(scope="module")
def readme():
    return RUN.report(delta=1e-5, dataset_size=60_000)


class Page(HTMLParser):
    """The data elements of a page, by value and text, and every address that it names."""

    def __init__(self, text):
        super().__init__()
        self.numbers, self.addresses, self.identifiers, self._open = [], [], [], False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if tag == "data":
            self._open = True
            self.numbers.append([float(attributes["value"]), ""])
        self.addresses += [value for name, value in attrs if name in {"src", "href", "xlink:href", "srcset", "action"}]
        self.identifiers += [value for name, value in attrs if name == "id"]

    def handle_endtag(self, tag):
        self._open = self._open and tag != "data"

    def handle_data(self, text):
        if self._open:
            self.numbers[-1][1] += text


def numbers_of(value):
    """Every float in a report, wherever it stands."""
    if dataclasses.is_dataclass(value):
        return [x for field in dataclasses.fields(value) for x in numbers_of(getattr(value, field.name))]
    if isinstance(value, tuple):
        return [x for each in value for x in numbers_of(each)]
    return [float(value)] if isinstance(value, (int, float)) and not isinstance(value, bool) else []


def test_the_numbers_are_those_of_the_interface(readme):
    for row in readme.epsilon:
        assert (row.lower, row.upper) == tuple(RUN.epsilon_bounds(delta=row.delta))
    assert [row.delta for row in readme.epsilon] == [1e-5, 1e-6, 1e-7]
    fit = RUN.gdp(fpr_floor=1e-10, delta0=1e-10)
    for field in dataclasses.fields(readme.gdp):
        if field.name != "regret_limit":
            assert getattr(readme.gdp, field.name) == getattr(fit, field.name), field.name
    curve = RUN.tradeoff()
    for row in readme.risks.tpr:
        assert row.tpr_upper == curve.tpr(row.fpr)
        assert row.likelihood_ratio_upper == min(curve.likelihood_ratio(fpr=row.fpr), 1.0 / row.fpr)
    curve = RUN.tradeoff()
    assert readme.gdp.mu in [row.mu for row in readme.gdp_floors]
    for row in readme.gdp_floors:
        best = RUN.gdp(fpr_floor=row.fpr_floor)
        assert best.mu_lower <= row.mu <= best.mu * (1 + 1e-3)
        assert row.regret >= best.regret_lower
        assert row.residual >= 1.0 - curve.upper(0.99 * row.fpr_floor)
    assert [row.fpr_floor for row in readme.gdp_floors] == [1e-3, 1e-6, 1e-8, 1e-10, 1e-12]
    for row in readme.risks.precision:
        assert row.precision_upper == curve.ppv(prior=row.prior, fpr_floor=row.fpr_floor) > row.prior
    for row in readme.risks.guesses:
        assert row.success_upper == curve.tpr(row.baseline) > row.baseline
    assert RUN.delta_bounds(epsilon=0.0).lower <= readme.risks.advantage_upper <= RUN.delta(epsilon=0.0) * (1 + 1e-12)
    assert readme.risks.success_upper >= (1.0 + RUN.delta_bounds(epsilon=0.0).lower) / 2.0
    assert readme.sampling.expected_participations == pytest.approx(10.0)
    assert readme.sampling.expected_batch_size == pytest.approx(600.0)
    assert hs.from_dict(json.loads(readme.mechanism.description)) == RUN


def test_values_of_the_reference_run(readme):
    assert readme.epsilon[0].lower <= 1.8282366665 <= readme.epsilon[0].upper
    assert 0.5222005 <= readme.gdp.mu < 0.5227
    assert readme.gdp.literal == pytest.approx(math.sqrt(1000), rel=1e-9)
    assert not readme.gdp.may_stand_for_the_curve


def test_json_validates_and_rebuilds_an_identical_report(report):
    text = report.to_json()

    def refuse(constant):
        pytest.fail(f"{constant} is not JSON")

    jsonschema.Draft202012Validator(schema()).validate(json.loads(text, parse_constant=refuse))
    again = Report.from_json(text)
    assert again == report
    assert hash(again) == hash(report)
    assert again.to_json() == text
    for form in ("md", "txt", "tex"):
        assert again.render(form) == report.render(form)


def test_the_page_of_the_rebuilt_report_is_identical(readme):
    assert Report.from_json(readme.to_json()).render("html") == readme.render("html")


def test_the_schema_is_made_from_the_classes():
    from hockeystick.report.make_schema import make_schema

    jsonschema.Draft202012Validator.check_schema(schema())
    assert schema() == make_schema()


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda x: x.pop("gdp"), "gdp"),
        (lambda x: x.update(extra=1), "extra"),
        (lambda x: x.update(format="hockeystick.report/9"), "format"),
        (lambda x: x["epsilon"][0].update(upper="many"), r"epsilon\[0\].upper"),
        (lambda x: x["epsilon"][0].update(upper=True), r"epsilon\[0\].upper"),
        (lambda x: x["sampling"].update(steps=1.5), "steps"),
        (lambda x: x["risks"].update(tpr={}), "tpr"),
    ],
)
def test_json_that_is_no_report_is_refused_with_its_place(readme, change, word):
    values = json.loads(readme.to_json())
    change(values)
    assert list(jsonschema.Draft202012Validator(schema()).iter_errors(values))
    with pytest.raises(ValueError, match=word):
        Report.from_json(json.dumps(values))


def test_text_that_is_no_json_is_refused_with_its_line():
    with pytest.raises(ValueError, match="line 2"):
        Report.from_json('{\n"format": }')


def check_numbers(report, html):
    known = set(numbers_of(report))
    lows = {row.lower for row in report.epsilon} | {report.gdp.mu_lower, report.gdp.regret_lower}
    numbers = Page(html).numbers
    assert numbers
    for value, text in numbers:
        assert value in known, text
        shown = re.fullmatch(r"(\d[\d.]*)(\u00a0%)?", text)
        if shown is None or value in lows or float(shown[1]) == value:
            continue
        number = Decimal(shown[1]) / (100 if shown[2] else 1)
        # Counts of people are out of a power of ten that stands beside them.
        scales = [1] if "." in text or shown[2] else [10**k for k in range(13)]
        assert any(0 <= number / scale - Decimal(value) <= Decimal(value) * Decimal("0.3") for scale in scales), text


def test_every_number_on_the_page_is_one_of_the_report_rounded_to_its_side(page_and_report):
    html, report = page_and_report
    check_numbers(report, html)


@pytest.mark.parametrize("audience", AUDIENCES)
def test_the_same_for_every_audience(readme, audience):
    check_numbers(readme, readme.render("html", audience=audience))


def test_numbers_agree_in_every_format(readme):
    pages = {form: readme.render(form) for form in ("html", "md", "txt", "tex")}
    # The bracket, as far as both of its ends agree with the exact value of 1.82823666651...
    sides = re.findall(r"1\.82823666[3-7]\d*", pages["txt"])
    assert [float(side) for side in sides] == sorted(float(side) for side in sides)
    assert len(set(sides)) == 2
    for text in ("1.829", "2.125", "2.412", *sides, "2.92"):
        for form, page in pages.items():
            assert text in page, (form, text)
    for text in ("0.5223", "0.04528", "0.02249", "31.63", "0.5158"):
        assert all(text in pages[form] for form in ("html", "md", "txt")), text
    # The same words in Markdown and in plain text, up to escapes and line breaks.
    plain = re.sub(r"[^a-z]+", " ", pages["txt"].lower())
    for sentence in ("an attacker who accepts false alarm in finds at most members in guessing finds",):
        assert sentence in plain
        assert sentence in re.sub(r"[^a-z]+", " ", pages["md"].lower())


def test_the_page_asks_for_nothing(page_and_report):
    html, _ = page_and_report
    page = Page(html)
    assert all(address.startswith("#") for address in page.addresses)
    assert "@import" not in html
    assert not re.search(r"url\((?!#)", html)
    assert len(page.identifiers) == len(set(page.identifiers))
    targets = {address[1:] for address in page.addresses} | set(re.findall(r"url\(#([^)]+)\)", html))
    assert targets <= set(page.identifiers)


def test_the_page_carries_its_data(page_and_report):
    html, report = page_and_report
    data = re.search(r'<script type="application/json" id="report">(.*?)</script>', html, re.DOTALL)[1]
    assert Report.from_json(data) == report


def test_what_the_caller_says_is_escaped():
    evil = "</script><script>alert(1)</script> | _x_ $y$ {z} %"
    report = hs.Gaussian(noise_multiplier=1.0).report(delta=1e-5, title=evil, unit="a|b")
    assert "<script>alert" not in report.render("html")
    assert "a\\|b" in report.render("md")
    tex = report.render("tex")
    assert r"\$y\$ \{z\} \%" in tex
    assert Report.from_json(report.to_json()).title == evil


def test_save_chooses_by_suffix_and_writes_nothing_otherwise(readme, tmp_path):
    for form in ("html", "md", "txt", "tex", "json"):
        path = tmp_path / f"privacy.{form}"
        readme.save(path)
        assert path.read_text(encoding="utf-8") == readme.render(form)
    with pytest.raises(ValueError, match=r"path must end in one of .*got 'privacy.pdf'"):
        readme.save("privacy.pdf")
    with pytest.raises(ValueError, match="audience must be one of"):
        readme.save(tmp_path / "other.html", audience="everyone")
    assert len(list(tmp_path.iterdir())) == 5


@pytest.mark.parametrize(
    ("change", "error", "word"),
    [
        ({"delta": 1.5}, ValueError, r"delta must be in \[0, 1\], got 1.5"),
        ({"delta": math.nan}, ValueError, "delta"),
        ({"delta": "small"}, TypeError, "delta"),
        ({"delta": True}, TypeError, "delta"),
        ({"delta0": 0.0}, ValueError, "delta0"),
        ({"fpr_floor": 0.7}, ValueError, "fpr_floor"),
        ({"dataset_size": 0}, ValueError, "dataset_size"),
        ({"dataset_size": 2.5}, TypeError, "dataset_size"),
        ({"dataset_size": True}, TypeError, "dataset_size"),
        ({"unit": 3}, TypeError, "unit"),
        ({"unit": ""}, ValueError, "unit"),
        ({"sampling_in_practice": "at random"}, ValueError, "sampling_in_practice"),
        ({"tuning_included": "yes"}, TypeError, "tuning_included"),
        ({"tolerance": -1.0}, ValueError, "tolerance"),
        ({"tolerance": 1e-16}, hs.AccuracyError, "epsilon"),
    ],
    ids=str,
)
def test_mistakes_name_the_argument(change, error, word):
    with pytest.raises(error, match=word):
        RUN.report(**{"delta": 1e-5, **change})


def test_reports_are_frozen_and_travel(readme):
    assert pickle.loads(pickle.dumps(readme)) == readme
    with pytest.raises(dataclasses.FrozenInstanceError):
        readme.title = "another"


def test_a_notebook_shows_the_page_in_a_frame(readme):
    frame = readme._repr_html_()
    assert frame.startswith("<iframe srcdoc=")
    assert frame.count("<") == 2


@pytest.mark.parametrize(("missing", "form"), [("jinja2", "txt"), ("matplotlib", "html")])
def test_without_the_extra_one_sentence_says_what_to_install(missing, form):
    code = f"""
import sys
sys.modules[{missing!r}] = None
import hockeystick as hs
report = hs.Gaussian(noise_multiplier=1.0).report(delta=1e-5)
assert type(report).from_json(report.to_json()) == report
try:
    report.render({form!r})
except ModuleNotFoundError as error:
    print(error)
"""
    result = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert missing in result.stdout
    assert "pip install 'hockeystick[report]'" in result.stdout
