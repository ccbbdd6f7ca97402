# SPDX-License-Identifier: Apache-2.0
"""Description files on the command line: three forms of one description, and mistakes told with file and line."""

import csv
import json
import math
import sys

import jsonschema
import pytest

import hockeystick as hs
from hockeystick.report import Report

pytest.importorskip("typer")
pytest.importorskip("yaml")

from hockeystick.cli import files, marks, schema
from hockeystick.cli.app import run as _run
from hockeystick.cli.commands import app  # the commands, registered

assert app

TOTAL = 50 * hs.Gaussian(noise_multiplier=40.0) + 1000 * hs.Gaussian(noise_multiplier=1.0).poisson(0.01)
TOML = """\
version = 1

[mechanism]
kind = "composition"

[[mechanism.parts]]
count = 50
mechanism = { kind = "gaussian", noise_multiplier = 40.0 }

[[mechanism.parts]]
count = 1000

[mechanism.parts.mechanism]
kind = "poisson_sampled"
sampling_rate = 0.01  # a comment = with a sign

[mechanism.parts.mechanism.base]
kind = "gaussian"
noise_multiplier = 1.0
"""
YAML = """\
# A fine-tuning run after fifty releases.
version: 1
mechanism:
  kind: composition
  parts:
    - count: 50
      mechanism: {kind: gaussian, noise_multiplier: 4e1}
    - count: 1000
      mechanism:
        kind: poisson_sampled
        sampling_rate: 1e-2
        base:
          kind: gaussian
          noise_multiplier: 1
"""
JSON = json.dumps(hs.to_dict(TOTAL), indent=2)
RUN = 'version = 1\n[mechanism]\nkind = "dpsgd"\nnoise_multiplier = 1.0\nsampling_rate = 0.01\nsteps = 1000\n'


@pytest.fixture
def hockeystick(tmp_path, monkeypatch, capsys):
    """Run a command in a directory of its own; files are made from the keyword arguments."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments, **texts):
        for name, text in texts.items():
            stem, _, suffix = name.rpartition("_")
            (tmp_path / f"{stem}.{suffix}").write_text(text, encoding="utf-8")
        code = _run(list(arguments))
        out, err = capsys.readouterr()
        return code, out, err

    return call


def told(hockeystick, *arguments, **texts):
    """The one sentence in which a mistake is told."""
    code, out, err = hockeystick(*arguments, **texts)
    assert (code, out) == (2, "")
    assert err.startswith("Error: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    return err.removeprefix("Error: ").rstrip()


@pytest.mark.parametrize(
    ("name", "text"), [("run_toml", TOML), ("run_yaml", YAML), ("run_yml", YAML), ("run_json", JSON)]
)
def test_the_three_forms_describe_the_same(hockeystick, tmp_path, name, text):
    path = name.replace("_", ".")
    code, out, err = hockeystick("epsilon", path, "--delta", "1e-5", "--delta", "1e-6", "--json", **{name: text})
    assert (code, err) == (0, "")
    stated = json.loads(out)
    assert files.load_description(tmp_path / path) == TOTAL
    for row, delta in zip(stated["epsilon"], [1e-5, 1e-6], strict=True):
        assert (row["lower"], row["upper"]) == tuple(TOTAL.epsilon_bounds(delta=delta))
        assert row["delta"] == delta


@pytest.mark.parametrize(
    ("name", "text", "line", "words"),
    [
        ("a_toml", TOML.replace("40.0", "-1.0"), 8, "noise_multiplier must be finite and at least 0, got -1.0"),
        ("a_toml", TOML.replace("sampling_rate = 0.01", "sampling_rate = 1.5"), 15, "sampling_rate must be in [0, 1]"),
        ("a_toml", TOML.replace("count = 1000", "count = 2.5"), 11, "count must be a whole number"),
        ("a_toml", RUN.replace("steps = 1000", "stepss = 1000"), 2, "none for steps"),
        ("a_toml", RUN + "colour = 1\n", 7, "got colour"),
        ("a_toml", RUN.replace("dpsgd", "dp-sgd"), 3, "kind must be one of"),
        ("a_toml", RUN.replace("1.0", "nan"), 4, "noise_multiplier must be a number, got nan"),
        ("a_toml", RUN.replace("1.0", "true"), 4, "noise_multiplier must be a real number, got True"),
        ("a_toml", RUN.replace("1.0", '"1"'), 4, "noise_multiplier must be a real number, got '1'"),
        ("a_toml", RUN.replace("1.0", '""'), 4, "noise_multiplier must be a real number, got ''"),
        ("a_toml", RUN.replace("1.0", "inf"), 4, "noise_multiplier must be finite"),
        ("a_toml", RUN.replace("1000", "-1"), 6, "steps must be"),
        ("a_toml", RUN.replace("1000", "10.5"), 6, "steps must be a whole number"),
        ("a_toml", RUN.replace("version = 1", "version = 9"), 1, "version must be in [1, 1]"),
        ("a_toml", RUN.replace("version = 1\n", ""), 1, "must have the entry version"),
        ("a_toml", RUN.replace("steps = 1000", "steps = = 1"), 6, "the text is not TOML"),
        ("a_toml", RUN + "steps = 3\n", 7, "the text is not TOML"),
        ("a_toml", TOML.replace("noise_multiplier = 1.0", "noise_multiplier = -1.0"), 19, "got -1.0"),
        (
            "a_toml",
            'version = 1\nmechanism.kind = "gaussian"\nmechanism.noise_multiplier = [\n1,\n2]\n',
            3,
            "real number",
        ),
        ("a_yaml", YAML.replace("4e1", "-4"), 7, "noise_multiplier must be finite and at least 0, got -4"),
        ("a_yaml", YAML.replace("noise_multiplier: 1\n", "noise_multiplier: no\n"), 14, "real number, got 'no'"),
        ("a_yaml", YAML.replace("noise_multiplier: 1\n", "noise_multiplier:\n"), 14, "real number, got None"),
        ("a_yaml", YAML.replace("1e-2", "1e-2, 3"), 11, "sampling_rate must be a real number"),
        ("a_yaml", YAML + "  kind: twice\n", 15, "kind is given twice"),
        ("a_yaml", YAML.replace("{kind: gaussian", "{kind: [gaussian"), 7, "the text is not YAML"),
        ("a_yaml", "version: 1\nmechanism: &a\n  kind: composition\n  parts: [*a]\n", 2, "aliases"),
        ("a_json", JSON.replace("40.0", "-40.0"), 11, "noise_multiplier must be finite and at least 0, got -40.0"),
        ("a_json", JSON.replace("40.0", "NaN"), None, "numbers must be finite, got NaN"),
        ("a_json", JSON.replace('"count": 50,', '"count": 50'), 9, "the text is not JSON"),
        (
            "a_json",
            '{\n\t"version": 1,\n\t"mechanism": {\n\t\t"kind": "gaussian",\n\t\t"noise_multiplier": -1}}',
            5,
            "-1",
        ),
        ("a_json", "[]", None, "description must be a mapping"),
        ("a_yaml", "", None, "description must be a mapping, got None"),
    ],
)
def test_a_mistake_has_its_line(hockeystick, name, text, line, words):
    path = name.replace("_", ".")
    message = told(hockeystick, "epsilon", path, "--delta", "1e-5", **{name: text})
    assert words in message
    if line is not None:
        assert message.startswith(f"{path}, line {line}: ")
    assert message.startswith(path)


def test_files_that_cannot_be_read(hockeystick, tmp_path):
    assert "No such file" in told(hockeystick, "epsilon", "none.toml", "--delta", "1e-5")
    assert "must end in one of .yaml" in told(hockeystick, "epsilon", "run.xml", "--delta", "1e-5", run_xml="")
    (tmp_path / "latin.toml").write_bytes(b"version = 1 # \xff")
    assert "UTF-8" in told(hockeystick, "epsilon", "latin.toml", "--delta", "1e-5")
    assert told(hockeystick, "epsilon", ".", "--delta", "1e-5")


@pytest.mark.parametrize("delta", ["1.5", "-1", "nan", "x", ""])
def test_delta_is_checked(hockeystick, delta):
    assert "delta" in told(hockeystick, "epsilon", "run.toml", "--delta", delta, run_toml=RUN)


def test_the_limit_is_an_exit_code(hockeystick):
    assert hockeystick("epsilon", "run.toml", "--delta", "1e-5", "--at-most", "1.83", run_toml=RUN)[0] == 0
    assert hockeystick("epsilon", "run.toml", "--delta", "1e-5", "--at-most", "1.82")[0] == 1


def test_a_tolerance_that_cannot_be_met_is_a_sentence(hockeystick):
    message = told(hockeystick, "epsilon", "run.toml", "--delta", "1e-5", "--tolerance", "1e-16", run_toml=RUN)
    assert "certif" in message


def test_the_schema_of_descriptions_accepts_and_refuses_what_the_reader_does():
    validator = jsonschema.Draft202012Validator(schema.description_schema())
    for text, form in [(TOML, "toml"), (YAML, "yaml"), (JSON, "json"), (RUN, "toml")]:
        validator.validate(marks.parse(text, form)[0])
    good = hs.to_dict(hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=10))
    for change in ({"steps": "ten"}, {"colour": 1}, {"kind": "dp-sgd"}, {"noise_multiplier": None}):
        bad = {**good, "mechanism": {**good["mechanism"], **change}}
        assert list(validator.iter_errors(bad)), change
        with pytest.raises((ValueError, TypeError)):
            hs.from_dict(bad)
    del good["mechanism"]["steps"]
    assert list(validator.iter_errors(good))


def test_schemas_are_printed(hockeystick):
    for of in ("description", "report"):
        code, out, _ = hockeystick("schema", of)
        assert code == 0
        jsonschema.Draft202012Validator.check_schema(json.loads(out))
    assert "schema must be one of" in told(hockeystick, "schema", "everything")


def test_report_in_every_format_and_again_from_its_json(hockeystick, tmp_path):
    names = {form: f"privacy.{form}" for form in ("html", "md", "tex", "txt", "json")}
    flags = [word for form, name in names.items() for word in (f"--{form}", name)]
    code, out, err = hockeystick("report", "run.toml", "--delta", "1e-5", *flags, run_toml=RUN)
    assert (code, err) == (0, "")
    assert out == "written: privacy.html, privacy.md, privacy.tex, privacy.txt, privacy.json\n"
    expected = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000).report(delta=1e-5)
    assert Report.from_json((tmp_path / "privacy.json").read_text(encoding="utf-8")) == expected
    for form, name in names.items():
        assert (tmp_path / name).read_text(encoding="utf-8") == expected.render(form)
    assert hockeystick("report", "privacy.json", "--md", "again.md")[0] == 0
    assert (tmp_path / "again.md").read_text() == (tmp_path / "privacy.md").read_text()
    assert hockeystick("report", "run.toml", "--delta", "1e-5", "--json", "-")[1] == expected.to_json()


def test_report_asks_for_what_it_needs(hockeystick):
    assert "--delta must be given" in told(hockeystick, "report", "run.toml", run_toml=RUN)
    assert "path must end in" in told(hockeystick, "report", "run.toml", "--delta", "1e-5", "--html", "x.pdf")
    assert "audience" in told(hockeystick, "report", "run.toml", "--delta", "1e-5", "--audience", "all")
    broken = '{"format": "hockeystick.report/1"}'
    assert "report must have exactly the entries" in told(hockeystick, "report", "old.json", old_json=broken)


@pytest.mark.parametrize(
    ("words", "name", "check"),
    [
        (
            ["--epsilon", "8", "--delta", "1e-5", "--sampling-rate", "0.01", "--steps", "10000"],
            "noise_multiplier",
            0.88252,
        ),
        (["--epsilon", "2", "--delta", "1e-5", "--sampling-rate", "0.01", "--noise-multiplier", "1"], "steps", 1202),
        (["--mu", "0.5", "--sampling-rate", "0.01", "--steps", "1000"], "noise_multiplier", 1.0202),
        (["--tpr", "0.1", "--fpr", "0.05", "--noise-multiplier", "1", "--steps", "1000"], "sampling_rate", None),
        (["--advantage", "0.1", "--sampling-rate", "0.01", "--steps", "1000"], "noise_multiplier", None),
    ],
)
def test_calibrate_finds_the_missing_one(hockeystick, words, name, check):
    code, out, err = hockeystick("calibrate", *words, "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["parameter"] == name
    assert found["achieved"]["upper"] <= found["target"]["limit"]
    if check is not None:
        assert found["value"] == pytest.approx(check, rel=1e-4)
    made = hs.from_dict({"version": 1, "mechanism": found["mechanism"]})
    assert getattr(made, name) == found["value"]
    code, out, _ = hockeystick("calibrate", *words)
    assert code == 0
    assert "is certified to meet" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "exactly one must be left out"),
        (["--epsilon", "8", "--delta", "1e-5", "--steps", "10"], "exactly one must be left out"),
        (["--sampling-rate", "0.01", "--steps", "10"], "exactly one target must be given"),
        (["--epsilon", "8", "--sampling-rate", "0.01", "--steps", "10"], "--delta must be given with --epsilon"),
        (["--tpr", "0.2", "--sampling-rate", "0.01", "--steps", "10"], "--fpr must be given with --tpr"),
        (
            ["--epsilon", "8", "--mu", "1", "--delta", "1e-5", "--sampling-rate", "0.01", "--steps", "10"],
            "exactly one target",
        ),
        (["--epsilon", "-8", "--delta", "1e-5", "--sampling-rate", "0.01", "--steps", "10"], "limit"),
        (["--epsilon", "8", "--delta", "nan", "--sampling-rate", "0.01", "--steps", "10"], "delta"),
        (
            ["--epsilon", "8", "--delta", "1e-5", "--sampling-rate", "2", "--steps", "10"],
            "sampling_rate must be in [0, 1]",
        ),
    ],
)
def test_calibrate_refuses_what_makes_no_sense(hockeystick, words, said):
    assert said in told(hockeystick, "calibrate", *words)


GRID = ["--noise-multiplier", "0.8,1", "--sampling-rate", "0.01", "--steps", "500:1000:2"]


def test_sweep_asks_every_setting(hockeystick, tmp_path):
    quantities = ["--delta", "1e-5", "--epsilon", "2", "--mu", "--fpr", "0.05"]
    code, out, err = hockeystick("sweep", *GRID, *quantities, "--json", "-o", "grid.csv")
    assert (code, err) == (0, "")
    records = json.loads(out)["records"]
    assert [(row["noise_multiplier"], row["steps"]) for row in records] == [
        (0.8, 500),
        (0.8, 1000),
        (1.0, 500),
        (1.0, 1000),
    ]
    last = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
    assert records[-1]["epsilon(delta=1e-05) upper"] == last.epsilon(delta=1e-5)
    assert records[-1]["delta(epsilon=2) upper"] == last.delta(epsilon=2.0)
    assert records[-1]["mu(fpr_floor=1e-10) upper"] == last.gdp().mu
    with (tmp_path / "grid.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["epsilon(delta=1e-05) upper"]) for row in rows] == [
        row["epsilon(delta=1e-05) upper"] for row in records
    ]
    assert hockeystick("sweep", *GRID, "--delta", "1e-5", "-o", "grid.json", "--progress", "--resume", "kept")[0] == 0
    assert json.loads((tmp_path / "grid.json").read_text(encoding="utf-8"))["format"] == "hockeystick.sweep/1"
    assert "1.8282367" in hockeystick("sweep", *GRID, "--delta", "1e-5")[1]


def test_sweep_writes_parquet(hockeystick, tmp_path):
    """The same rows as in JSON, numbers as numbers, infinite ones as such."""
    parquet = pytest.importorskip("pyarrow.parquet")
    code, out, _ = hockeystick("sweep", *GRID, "--delta", "1e-5", "--delta", "0", "--json", "-o", "grid.parquet")
    assert code == 0
    rows = parquet.read_table(tmp_path / "grid.parquet").to_pylist()
    named = [{name: "inf" if value == math.inf else value for name, value in row.items()} for row in rows]
    assert named == json.loads(out)["records"]
    assert rows[0]["epsilon(delta=0) upper"] == math.inf
    assert rows[0]["steps"] == 500


@pytest.mark.parametrize(
    ("path", "said"),
    [("grid.parquet", "pip install 'hockeystick[parquet]'"), ("none/grid.csv", "grid.csv: No such file or directory")],
)
def test_sweep_refuses_a_file_that_it_could_not_write_before_it_works(hockeystick, monkeypatch, path, said):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setattr(hs, "sweep", lambda *_, **__: pytest.fail("the work came first"))
    assert said in told(hockeystick, "sweep", *GRID, "--delta", "1e-5", "-o", path)


SIZES = ["--batch-size", "100", "--dataset-size", "10000"]
CAP = ["--sampling", "truncated_poisson", "--truncated-batch-size", "130", "--dataset-size", "10000"]


@pytest.mark.parametrize(
    ("words", "described"),
    [
        ([*CAP, "--sampling-rate", "0.01"], {"sampling": "truncated_poisson", "truncated_batch_size": 130}),
        ([*CAP, "--batch-size", "100"], {"sampling": "truncated_poisson", "truncated_batch_size": 130}),
        ([*SIZES, "--sampling", "without_replacement"], {"sampling": "without_replacement"}),
        ([*SIZES], {"sampling": "poisson"}),
    ],
)
def test_a_run_is_described_by_its_sizes_and_its_cap(hockeystick, tmp_path, words, described):
    """The same run in dpsgd, sweep and calibrate, in the units of its loader."""
    units = {"sampling_rate": 0.01} if "--sampling-rate" in words else {"batch_size": 100}
    run = hs.dpsgd(noise_multiplier=1.0, steps=100, dataset_size=10_000, **units, **described)
    asked = ["--noise-multiplier", "1", "--steps", "100", *words, "--delta", "1e-5"]
    code, out, err = hockeystick("dpsgd", *asked, "--json", "--describe", "run.json")
    assert (code, err) == (0, "")
    assert json.loads(out)["epsilon"][0]["upper"] == run.epsilon(delta=1e-5)
    assert hs.from_dict(json.loads((tmp_path / "run.json").read_text())) == run
    [row] = json.loads(hockeystick("sweep", *asked, "--json")[1])["records"]
    assert row["epsilon(delta=1e-05) upper"] == run.epsilon(delta=1e-5)
    limit = repr(run.epsilon(delta=1e-5))
    found = json.loads(hockeystick("calibrate", *asked[2:], "--epsilon", limit, "--json")[1])
    assert found["parameter"] == "noise_multiplier"
    assert found["value"] == pytest.approx(1.0, rel=1e-6)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--sampling", "truncated_poisson"], "dataset_size and truncated_batch_size must be given"),
        (["--truncated-batch-size", "130"], "truncated_batch_size must be left out for sampling 'poisson'"),
        ([*CAP[:2], "--truncated-batch-size", "0", "--dataset-size", "10000"], "truncated_batch_size must be"),
    ],
)
def test_a_cap_that_makes_no_sense_is_refused(hockeystick, words, said):
    base = ["--noise-multiplier", "1", "--steps", "100", "--sampling-rate", "0.01", "--delta", "1e-5"]
    for command in (["dpsgd", *base], ["sweep", *base], ["calibrate", *base[2:], "--epsilon", "1"]):
        assert said in told(hockeystick, *command, *words)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([*GRID], "at least one of --delta"),
        ([*GRID, "--delta", "1e-5", "-o", "x.xls"], "--output must end in one of"),
        ([*GRID[:4], "--steps", "1.5", "--delta", "1e-5"], "steps must be a whole number"),
        ([*GRID[:4], "--steps", "", "--delta", "1e-5"], "--steps must be numbers"),
        ([*GRID[:4], "--steps", "1:2", "--delta", "1e-5"], "--steps must be numbers"),
        ([*GRID[:4], "--steps", "0:2:3:log", "--delta", "1e-5"], "--steps must be numbers"),
        ([*GRID[:4], "--steps", "nan", "--delta", "1e-5"], "steps must be"),
        ([*GRID[:2], "--sampling-rate", "2", "--steps", "10", "--delta", "1e-5"], "sampling_rate must be in [0, 1]"),
        ([*GRID, "--delta", "7"], "delta must be in [0, 1]"),
        ([*GRID, "--delta", "1e-5", "--threads", "0"], "threads"),
    ],
)
def test_sweep_refuses_what_makes_no_sense(hockeystick, words, said):
    assert said in told(hockeystick, "sweep", *words)


def test_explain_says_what_is_a_bound(hockeystick):
    code, out, err = hockeystick("explain", "run.toml", "--delta", "1e-5", "--json", run_toml=RUN)
    assert (code, err) == (0, "")
    stated = json.loads(out)
    expected = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000).explain(delta=1e-5)
    assert [(row["key"], row["epsilon"]) for row in stated["rows"]] == [(row.key, row.epsilon) for row in expected]
    page = hockeystick("explain", "run.toml", "--delta", "1e-5")[1]
    [line] = [line for line in page.splitlines() if "CLT" in line]
    assert "no bound" in line
    assert "~ 1.62" in line
    [line] = [line for line in page.splitlines() if line.startswith("exact") and "below" not in line]
    assert "1.82824" in line
    assert "upper bound" in line
    assert "delta" in told(hockeystick, "explain", "run.toml", "--delta", "0")


SMALL = 'version = 1\n[mechanism]\nkind = "gaussian"\nnoise_multiplier = 2.0\n'


def test_compare_orders_on_brackets(hockeystick, tmp_path):
    words = ["compare", "a.toml", "b.toml", "--delta", "1e-5"]
    code, out, err = hockeystick(*words, "--json", "--figure", "cmp.svg", a_toml=RUN, b_toml=SMALL)
    assert (code, err) == (0, "")
    stated = json.loads(out)
    runs = {"a": hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000), "b": hs.Gaussian(noise_multiplier=2.0)}
    expected = hs.compare(runs, deltas=[1e-5, 1e-6, 1e-7])
    assert stated["orderings"] == expected.to_dict()["orderings"]
    assert stated["guarantees"] == expected.to_dict()["guarantees"]
    assert stated["orderings"][0]["verdict"] == "crossing"
    page = hockeystick(*words)[1]
    assert expected.orderings[0].sentence in page
    assert "1.82824" in page
    assert "(FPR from 1e-10)" in page
    assert (tmp_path / "cmp.svg").read_text(encoding="utf-8").startswith("<?xml")


def test_compare_refuses_what_does_not_compare(hockeystick):
    replace = SMALL + 'relation = "replace"\n'
    files = {"a_toml": RUN, "b_toml": replace}
    assert "must share one relation" in told(hockeystick, "compare", "a.toml", "b.toml", "--delta", "1e-5", **files)
    assert "at least two files" in told(hockeystick, "compare", "a.toml", "--delta", "1e-5")
    assert "files must differ" in told(hockeystick, "compare", "a.toml", "a.toml", "--delta", "1e-5")
    assert "delta" in told(hockeystick, "compare", "a.toml", "c.toml", "--delta", "2", c_toml=SMALL)
    figure = ["compare", "a.toml", "c.toml", "--delta", "1e-5", "--figure", "x.doc"]
    assert "doc" in told(hockeystick, *figure, c_toml=SMALL)


COUNTS = {"--true-positives": "900", "--positives": "1000", "--false-positives": "100", "--negatives": "1000"}
COUNT_WORDS = [word for pair in COUNTS.items() for word in pair]


def scores(shift: float) -> str:
    from statistics import NormalDist

    grid = [NormalDist().inv_cdf((k + 0.5) / 4000) for k in range(4000)]
    rows = [f"{x:.6f},0" for x in grid] + [f"{x + shift:.6f},1" for x in grid]
    return "score,member\n" + "\n".join(rows) + "\n"


def test_audit_by_counts(hockeystick):
    code, out, err = hockeystick("audit", *COUNT_WORDS, "--json")
    assert (code, err) == (0, "")
    counts = {"true_positives": 900, "positives": 1000, "false_positives": 100, "negatives": 1000}
    stated, expected = json.loads(out), hs.audit_counts(**counts)
    assert stated["empirical_epsilon_lower"] == expected.empirical_epsilon_lower
    assert stated["points"][0]["tpr_lower"] == expected.points[0].tpr_lower
    assert stated["points"][0]["threshold"] == "inf"
    assert stated["hockeystick_version"] == hs.__version__
    assert "empirical lower bounds" in hockeystick("audit", *COUNT_WORDS)[1]


def test_audit_refutes_by_exit_code(hockeystick, tmp_path):
    claim = SMALL.replace("2.0", "1.0")
    files = {"strong_csv": scores(2.5), "weak_csv": scores(0.2), "claim_toml": claim}
    code, out, err = hockeystick("audit", "strong.csv", "--claim", "claim.toml", "--figure", "audit.svg", **files)
    assert (code, err) == (1, "")
    assert "The claim is refuted at 95 %" in out
    assert (tmp_path / "audit.svg").is_file()
    code, out, _ = hockeystick("audit", "weak.csv", "--claim", "claim.toml")
    assert code == 0
    assert "proves nothing" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["audit"], "a file of scores or all four counts must be given"),
        (["audit", *COUNT_WORDS[:-2]], "--negatives"),
        (["audit", "s.csv", *COUNT_WORDS], "not both"),
        (["audit", "s.csv"], "s.csv, line 3: member must be 1 or 0, got 'x'"),
        (["audit", "t.csv"], "t.csv, line 2: score must be a number, got 'high'"),
        (["audit", "u.csv"], "u.csv, line 1: the columns must be score and member"),
        (["audit", "v.json"], "scores_in and scores_out"),
        (["audit", "w.json"], "w.json, line 1: the text is not JSON"),
        (["audit", "x.json"], "scores_in"),
        (["audit", *COUNT_WORDS, "--confidence", "2"], "confidence"),
        (["audit", *COUNT_WORDS, "--delta", "2"], "delta"),
        (["audit", *COUNT_WORDS, "--figure", "a.svg"], "--figure must come with --claim"),
    ],
)
def test_audit_refuses_what_makes_no_sense(hockeystick, words, said):
    files = {
        "s_csv": "score,member\n1,1\n2,x\n",
        "t_csv": "score,member\nhigh,1\n",
        "u_csv": "value,member\n1,1\n",
        "v_json": "{}",
        "w_json": "{",
        "x_json": '{"scores_in": ["a"], "scores_out": [1]}',
    }
    assert said in told(hockeystick, *words, **files)
