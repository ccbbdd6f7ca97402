# SPDX-License-Identifier: Apache-2.0
"""Sweeps: the same brackets whoever computes them, and whatever interrupts them."""

import json
import math
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

import hockeystick as hs

GRID = {"noise_multiplier": [0.8, 1.0, 2.0], "sampling_rate": [0.01, 0.02], "steps": 1000}
ASKED = [hs.Quantity.epsilon(delta=1e-5), hs.Quantity.epsilon(delta=1e-7), hs.Quantity.mu(), hs.Quantity.fnr(fpr=0.05)]


@pytest.fixture(scope="module")
def table():
    return hs.sweep(GRID, ASKED)


def assert_same(one, other):
    assert one.settings == other.settings
    assert one.quantities == other.quantities
    assert np.array_equal(one.lower, other.lower)
    assert np.array_equal(one.upper, other.upper)
    assert one.errors == other.errors


def test_every_bracket_is_that_of_the_mechanism(table):
    assert len(table) == 6
    for row, setting in enumerate(table.settings):
        mechanism = hs.dpsgd(**setting)
        for column, quantity in enumerate(ASKED):
            bounds = quantity.bounds(mechanism)
            assert (table.lower[row, column], table.upper[row, column]) == (bounds.lower, bounds.upper)
    assert table.errors == (None,) * 6


def test_a_grid_is_every_combination_the_last_entry_fastest(table):
    pairs = [(setting["noise_multiplier"], setting["sampling_rate"]) for setting in table.settings]
    assert pairs == [(0.8, 0.01), (0.8, 0.02), (1.0, 0.01), (1.0, 0.02), (2.0, 0.01), (2.0, 0.02)]
    assert {setting["steps"] for setting in table.settings} == {1000}
    arrays = {name: np.asarray(values) for name, values in GRID.items()}
    assert hs.sweep(arrays, ASKED[0]).settings == table.settings
    assert_same(hs.sweep(list(table.settings), ASKED), table)


def test_forms_of_the_result(table):
    records = table.records()
    assert records[0]["steps"] == 1000
    assert records[3]["mu(fpr_floor=1e-10) upper"] == table.upper[3, 2]
    assert records[3]["error"] is None
    structured = table.to_numpy()
    assert structured["steps"].dtype.kind == "i"
    assert np.array_equal(structured["epsilon(delta=1e-05) lower"], table.lower[:, 0])
    assert structured.dtype.names[:3] == ("noise_multiplier", "sampling_rate", "steps")
    assert np.array_equal(table.guarantee(ASKED[0]), table.upper[:, 0])
    assert np.array_equal(table.guarantee(ASKED[3]), table.lower[:, 3])


def test_pandas(table):
    pytest.importorskip("pandas")
    frame = table.to_pandas()
    assert frame.shape == (6, 3 + 2 * 4 + 1)
    assert frame["epsilon(delta=1e-05) upper"].tolist() == table.upper[:, 0].tolist()


@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize("chunk_size", [1, 4, 100])
def test_threads_change_no_value(table, threads, chunk_size):
    assert_same(hs.sweep(GRID, ASKED, threads=threads, chunk_size=chunk_size), table)


def test_processes_change_no_value(table):
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        assert_same(hs.sweep(GRID, ASKED, executor=executor, chunk_size=2), table)


def test_dask_changes_no_value(table):
    distributed = pytest.importorskip("distributed")
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None, protocol="inproc://"
    )
    with cluster, distributed.Client(cluster) as client:
        assert_same(hs.sweep(GRID, ASKED, executor=client.get_executor(), chunk_size=2), table)


class Lazy:
    """The least that an executor has to be: a submit whose result comes when it is asked for."""

    def submit(self, function, *arguments):
        class Future:
            def result(self):
                return function(*arguments)

            def cancel(self):
                return False

        return Future()


def test_anything_with_a_submit_is_an_executor(table):
    assert_same(hs.sweep(GRID, ASKED, executor=Lazy(), chunk_size=4), table)


def test_any_mechanism(table):
    made = hs.sweep(
        {"noise": [4.0, 8.0], "count": [1, 10]},
        hs.Quantity.epsilon(delta=1e-5),
        make=lambda noise, count: count * hs.Gaussian(noise_multiplier=noise),
    )
    expected = [(n * hs.Gaussian(noise_multiplier=s)).epsilon(delta=1e-5) for s in (4.0, 8.0) for n in (1, 10)]
    assert made.upper[:, 0].tolist() == expected


def unable(**setting):
    return Unable(**setting)


class Unable:
    """A mechanism of which nothing can be certified beyond one number."""

    def __init__(self, *, level):
        self.level = level

    def epsilon_bounds(self, *, delta):
        if self.level == 2:
            raise hs.AccuracyError("no engine holds here")
        return hs.Bounds(0.0, math.inf, "none")

    def delta_bounds(self, *, epsilon):
        return self.epsilon_bounds(delta=epsilon)


def test_what_cannot_be_certified_is_told_and_stops_nothing():
    made = hs.sweep({"level": [1, 2]}, [hs.Quantity.epsilon(delta=1e-5), hs.Quantity.advantage()], make=unable)
    assert made.errors == (
        None,
        "epsilon(delta=1e-05): no engine holds here; advantage(): no engine holds here",
    )
    assert made.lower[1].tolist() == [0.0, 0.0]
    assert made.upper[1].tolist() == [math.inf, 1.0]


class Interrupted(Exception):
    pass


def interrupt_at(limit):
    def report(done, total):
        if done >= limit:
            raise Interrupted

    return report


@pytest.mark.parametrize("threads", [1, 2])
def test_goes_on_from_what_is_finished(table, tmp_path, threads):
    path = tmp_path / "finished.jsonl"
    with pytest.raises(Interrupted):
        hs.sweep(GRID, ASKED, resume=path, chunk_size=2, progress=interrupt_at(4), threads=threads)
    assert len(path.read_text().splitlines()) == 1 + 4
    reports = []
    again = hs.sweep(GRID, ASKED, resume=path, progress=lambda done, total: reports.append((done, total)))
    assert_same(again, table)
    assert reports == [(4, 6), (6, 6)]
    # Once more: nothing is left to compute, and the values come from the file.
    before = path.read_bytes()
    assert_same(hs.sweep(GRID, ASKED, resume=path), table)
    assert path.read_bytes() == before


def test_a_line_cut_off_by_a_crash_is_computed_again(table, tmp_path):
    path = tmp_path / "finished.jsonl"
    hs.sweep(GRID, ASKED, resume=path)
    whole = path.read_bytes()
    for cut in (len(whole) - 3, whole.rindex(b"\n", 0, -1) + 1, 10, 0):
        path.write_bytes(whole[:cut])
        assert_same(hs.sweep(GRID, ASKED, resume=path), table)
        assert path.read_bytes() == whole


def test_infinite_values_come_back(tmp_path):
    path = tmp_path / "finished.jsonl"
    settings = {"noise_multiplier": 0.0, "sampling_rate": 0.5, "steps": [0, 1]}
    first = hs.sweep(settings, ASKED[0], resume=path)
    assert first.upper[:, 0].tolist() == [0.0, math.inf]
    assert_same(hs.sweep(settings, ASKED[0], resume=path), first)


def test_a_file_of_something_else_is_left_alone(tmp_path):
    path = tmp_path / "finished.jsonl"
    hs.sweep(GRID, ASKED[0], resume=path)
    whole = path.read_bytes()
    with pytest.raises(ValueError, match=r"resume must be a file of this sweep, got .*: it is of another quantities"):
        hs.sweep(GRID, ASKED[1], resume=path)
    with pytest.raises(ValueError, match="it is of another settings"):
        hs.sweep({**GRID, "steps": 1001}, ASKED[0], resume=path)
    assert path.read_bytes() == whole
    for text in ("a letter to a friend", "a letter\nto a friend\n", "[]\n", "{}\n", json.dumps({"index": 1}) + "\n"):
        path.write_text(text)
        with pytest.raises(ValueError, match="resume must be a file of this sweep"):
            hs.sweep(GRID, ASKED[0], resume=path)
        assert path.read_text() == text
    lines = whole.decode().splitlines(keepends=True)
    path.write_text(lines[0] + '{"index": 0}\n' + "".join(lines[2:]))
    with pytest.raises(ValueError, match="resume must be a file of this sweep"):
        hs.sweep(GRID, ASKED[0], resume=path)


def test_a_progress_bar_is_shown_when_asked(capsys):
    pytest.importorskip("rich")
    hs.sweep(GRID, ASKED[0])
    assert capsys.readouterr() == ("", "")
    hs.sweep(GRID, ASKED[0], progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert "6/6" in err


@pytest.mark.parametrize(
    ("settings", "quantities", "options", "error", "message"),
    [
        (3, ASKED, {}, TypeError, "settings must be a mapping or an iterable of mappings, got 3"),
        ("ab", ASKED, {}, TypeError, "settings must be a mapping or an iterable of mappings, got 'ab'"),
        ([3], ASKED, {}, TypeError, "settings must hold mappings, got 3"),
        ([], ASKED, {}, ValueError, "settings must hold at least one setting, got none"),
        ({}, ASKED, {}, ValueError, "settings must hold at least one setting, got none"),
        ({"steps": []}, ASKED, {}, ValueError, "settings must hold at least one setting, got none"),
        ([{"a": 1}, {"b": 1}], ASKED, {}, ValueError, "settings must all have the entries a, got b"),
        (GRID, 3, {}, TypeError, "quantities must be a Quantity or several, got 3"),
        (GRID, [3], {}, TypeError, "quantities must be a Quantity or several, got 3"),
        (GRID, [], {}, ValueError, "quantities must hold each quantity once and at least one"),
        (GRID, [ASKED[0], ASKED[0]], {}, ValueError, "quantities must hold each quantity once"),
        (GRID, ASKED, {"threads": 0}, ValueError, "threads must be at least 1, got 0"),
        (GRID, ASKED, {"threads": True}, TypeError, "threads must be a real number, got True"),
        (GRID, ASKED, {"chunk_size": 0}, ValueError, "chunk_size must be at least 1, got 0"),
        (GRID, ASKED, {"threads": 2, "executor": Lazy()}, ValueError, "threads must be left out"),
        (GRID, ASKED, {"progress": "yes"}, TypeError, "progress must be a boolean or callable, got 'yes'"),
        ({**GRID, "steps": [1, -1]}, ASKED, {}, ValueError, "steps must be a whole number"),
    ],
)
def test_what_is_refused(settings, quantities, options, error, message):
    with pytest.raises(error, match=message):
        hs.sweep(settings, quantities, **options)
