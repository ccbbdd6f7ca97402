# SPDX-License-Identifier: Apache-2.0
"""The documents quote one table of peers, the one that the benchmark wrote."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BENCH = ROOT / "bench" / "peer_table.py"
pytestmark = pytest.mark.skipif(not BENCH.exists(), reason="the benchmarks are not here")


@pytest.fixture
def peer_table(monkeypatch):
    spec = importlib.util.spec_from_file_location("peer_table", BENCH)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "peer_table", module)
    spec.loader.exec_module(module)
    return module


def rows_of(block):
    return [line.split("|")[1:-1] for line in block.splitlines() if line.startswith("| ")][1:]


def test_documents_quote_the_same_table(peer_table):
    first, second = (peer_table.block_of(path.read_text(encoding="utf-8")) for path in peer_table.QUOTING)
    assert first == second
    assert re.search(r"processor time, \d{4}-\d\d-\d\d:", first)


def test_no_peer_is_ahead(peer_table):
    rows = rows_of(peer_table.block_of((ROOT / "README.md").read_text(encoding="utf-8")))
    rows = [row for row in rows if "---" not in row[0]]
    assert len(rows) >= 5
    for row in rows:
        for cell in row[3:]:
            assert float(cell.split()[0]) > 1.0, row


def test_writing_replaces_the_table_and_nothing_else(peer_table, monkeypatch, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"before\n{peer_table.BEGIN}\nold\n{peer_table.END}\nafter\n", encoding="utf-8")
    monkeypatch.setattr(peer_table, "QUOTING", (page,))
    lines = [peer_table.Line("one", "1 ms", "peer, 1 s", 1234.0, 987.6), peer_table.Line("two", "1 ms", "x", 8.76, 2.0)]
    block = peer_table.table(lines, "2026-01-31")
    peer_table.write(block)
    peer_table.write(block)
    text = page.read_text(encoding="utf-8")
    assert peer_table.block_of(text) == block
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "| one | 1 ms | peer, 1 s | 1200 times | 990 times |" in text
    assert "| two | 1 ms | x | 8.8 times | 2.0 times |" in text
    assert "The smallest margin: two." in text
