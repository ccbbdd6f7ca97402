# SPDX-License-Identifier: Apache-2.0
"""What the documentation says is run: the examples of the README, of the pages and of every docstring."""

import doctest
import importlib
import importlib.util
import inspect
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
    shown = re.findall(r"^\.\. auto(?:class|function|exception):: hockeystick\.(\w+)(?:\(\))?$", text, re.MULTILINE)
    assert sorted(shown) == sorted(set(hockeystick.__all__) - {"renyi"})  # a module, with a page of its own
    modules = set(re.findall(r"^\.\. automodule:: (\S+)$", text, re.MULTILINE))
    bridges = {name for name in MODULES if name.startswith("hockeystick.interop.") and "._" not in name}
    assert modules >= {"hockeystick.renyi", "hockeystick.report", "hockeystick.plot", *bridges}


def test_every_page_is_in_the_table_of_contents():
    pages = {str(page.relative_to(ROOT / "docs").with_suffix("")) for page in (ROOT / "docs").rglob("*.md")}
    listed = (ROOT / "docs" / "index.md").read_text() + (ROOT / "docs" / "api.md").read_text()
    assert pages - {"index"} == set(re.findall(r"^([\w/]+)$", listed, re.MULTILINE))


# They take what the library made itself and refuse nothing of their own.
RAISE_NOTHING = {
    *(f"Budget.{name}" for name in ("accepts", "allows", "excess", "window")),
    *(f"Quantity.{name}" for name in ("coordinate", "guarantee")),
    "inline_svg",
}


def public_functions():
    """(name, function, the docstring of the class that it may have its example in) of the whole interface."""
    modules = [importlib.import_module(f"hockeystick{name}") for name in ("", ".renyi", ".report", ".plot")]
    found = {}
    for module in modules:
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name)
            if inspect.isfunction(value):
                found[value] = (name, "")
            for base in value.__mro__ if inspect.isclass(value) else ():
                for key, member in vars(base).items() if base.__module__.startswith("hockeystick") else ():
                    function = inspect.unwrap(getattr(member, "__func__", member))
                    if inspect.isfunction(function) and not key.startswith("_"):
                        found.setdefault(function, (f"{value.__name__}.{key}", value.__doc__))
    return [(name, function, doc) for function, (name, doc) in found.items()]


@pytest.mark.parametrize(("name", "function", "of_class"), public_functions())
def test_public_docstrings_are_whole(name, function, of_class):
    """Every parameter, what is returned and raised, and an example, there or in the class."""
    document = f"\n{inspect.getdoc(function)}\n"
    signature = inspect.signature(function)
    parameters = [each for each in signature.parameters if each not in ("self", "cls")]
    heads = re.search(r"\nParameters\n-+\n(.*?)(?=\n\w+\n---|\Z)", document, re.DOTALL)
    named = re.findall(r"^(\w[\w, ]*?)(?: : .+)?$", heads[1], re.MULTILINE) if heads else []
    documented = {each.strip() for line in named for each in line.split(",")}
    assert set(parameters) <= documented
    assert signature.return_annotation in ("None", None) or "\nReturns\n-------\n" in document
    assert not parameters or name in RAISE_NOTHING or "\nRaises\n------\n" in document
    assert ">>>" in document or ">>>" in of_class
