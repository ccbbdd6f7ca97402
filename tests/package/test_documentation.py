# SPDX-License-Identifier: Apache-2.0
"""What the documentation says is run: the examples of the README, of the pages and of every docstring."""

import doctest
import importlib
import importlib.util
import pkgutil
import re
from pathlib import Path

import pytest
from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser

import hockeystick

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    page
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
    if "```python" in page.read_text()
]
# Bridges whose examples need another tool; it is optional.
PEERS = {
    "hockeystick.interop.dp_accounting": "dp_accounting",
    "hockeystick.interop.dp_pld": "dp_accounting",
    "hockeystick.interop.opacus": "opacus",
}
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(hockeystick.__path__, "hockeystick.")
    if module.name != "hockeystick._core" and importlib.util.find_spec(PEERS.get(module.name, "hockeystick"))
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page(page):
    if "import dp_accounting" in page.read_text():
        pytest.importorskip("dp_accounting")
    document = Sybil(parsers=[PythonCodeBlockParser()]).parse(page)
    examples = list(document)
    assert examples, f"{page.name} has no example"
    for example in examples:
        example.evaluate()


@pytest.mark.parametrize("name", ["hockeystick", *MODULES])
def test_docstrings(name):
    module = importlib.import_module(name)
    # Extras of the public names are found where they are defined.
    assert doctest.testmod(module).failed == 0


def test_docstrings_hold_examples():
    finder = doctest.DocTestFinder()
    counts = {name: sum(len(t.examples) for t in finder.find(importlib.import_module(name))) for name in MODULES}
    assert sum(counts.values()) >= 10, counts


def test_the_pages_on_the_interface_show_every_public_name_once():
    text = "".join(page.read_text() for page in (ROOT / "docs" / "api").glob("*.md"))
    shown = re.findall(r"^\.\. auto(?:class|function|exception):: hockeystick\.(\w+)$", text, re.MULTILINE)
    assert sorted(shown) == sorted(set(hockeystick.__all__) - {"renyi"})  # a module, with a page of its own
    modules = set(re.findall(r"^\.\. automodule:: (\S+)$", text, re.MULTILINE))
    bridges = {name for name in MODULES if name.startswith("hockeystick.interop.") and "._" not in name}
    assert modules >= {"hockeystick.renyi", "hockeystick.report", "hockeystick.plot", *bridges}


def test_every_page_is_in_the_table_of_contents():
    pages = {str(page.relative_to(ROOT / "docs").with_suffix("")) for page in (ROOT / "docs").rglob("*.md")}
    listed = (ROOT / "docs" / "index.md").read_text() + (ROOT / "docs" / "api.md").read_text()
    assert pages - {"index"} == set(re.findall(r"^([\w/]+)$", listed, re.MULTILINE))
