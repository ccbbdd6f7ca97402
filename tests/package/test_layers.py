# SPDX-License-Identifier: Apache-2.0
"""Who may include or import whom, read from the sources."""

import ast
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python" / "hockeystick"
CORE_FILES = sorted((ROOT / "cpp" / "include").rglob("*.hpp")) + sorted((ROOT / "cpp" / "src").glob("*.[ch]pp"))
BINDING_FILES = sorted((ROOT / "cpp" / "bindings").glob("*.[ch]pp"))
# On demand only: these may import the API, and the API never imports them.
EXTRAS = {"cli", "plot", "report", "interop"}
# Libraries that a function of the API may import when it is asked for what needs them.
LIBRARIES_ON_DEMAND = {"pandas", "rich"}
API_FILES = sorted(
    path for path in PACKAGE.rglob("*.py") if path.relative_to(PACKAGE).parts[0].removesuffix(".py") not in EXTRAS
)

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"][^>"]+[>"])', re.MULTILINE)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def included(path: Path) -> set[str]:
    return set(INCLUDE.findall(path.read_text()))


def code(path: Path) -> str:
    return COMMENT.sub("", path.read_text())


def imported(source: str) -> set[str]:
    """Absolute names of the modules that a file of the package imports, wherever in the file."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level:
            base = ".".join(part for part in ("hockeystick", node.module) if part)
            names.update([base] if node.module else [f"{base}.{alias.name}" for alias in node.names])
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
            if node.module == "hockeystick":
                names.update(f"hockeystick.{alias.name}" for alias in node.names)
    return names


def core_violations(name: str, includes: set[str], text: str) -> list[str]:
    wrong = []
    for include in includes:
        target = include[1:-1]
        allowed = (name == "fft.cpp" and "pocketfft" in target) or (name == "parallel.cpp" and target == "pthread.h")
        if include.startswith("<") and "." in target and not allowed:
            wrong.append(f"{include} is not of the standard library")
        if target in {"iostream", "cfenv", "fenv.h"}:
            wrong.append(f"{include} does not belong in the core")
        of_the_core = target.startswith("hockeystick/") or (ROOT / "cpp" / "src" / target).exists()
        if include.startswith('"') and not of_the_core and not (name == "fft.cpp" and "pocketfft" in target):
            wrong.append(f"{include} is outside the core")
    if "target_clones" in text and name != "pack.hpp":
        wrong.append("target_clones outside pack.hpp")
    if re.search(r'"(pack|vector_math)\.hpp"', " ".join(includes)) and not re.search(
        r"kernels?\.cpp$|^vector_math", name
    ):
        wrong.append("vectors outside the kernels")
    if re.search(r"#\s*pragma\s+omp\b|\bomp_\w+\s*\(|pthread_atfork|std::thread\b", text) and name != "parallel.cpp":
        wrong.append("threads outside parallel.cpp")
    if "pocketfft" in text and name != "fft.cpp":
        wrong.append("pocketfft outside fft.cpp")
    return wrong


def imported_on_import(source: str) -> set[str]:
    """The same for the imports that run when the file itself is imported."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or (
            isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        ):
            node.body = [ast.Pass()]
    return imported(ast.unparse(tree))


def api_violations(source: str) -> list[str]:
    wrong = []
    at_once = imported_on_import(source)
    for name in imported(source):
        top, _, rest = name.partition(".")
        if top == "hockeystick":
            # A method may hand over to an extra; importing the API must not need one.
            if rest.split(".")[0] in EXTRAS and name in at_once:
                wrong.append(f"the API imports {name}")
        elif top in LIBRARIES_ON_DEMAND and name not in at_once:
            continue
        elif top != "numpy" and top not in sys.stdlib_module_names and top != "__future__":
            wrong.append(f"the API imports {name}")
    return wrong


@pytest.mark.parametrize("path", CORE_FILES, ids=lambda path: path.name)
def test_core_needs_the_standard_library_only(path):
    assert core_violations(path.name, included(path), code(path)) == []


@pytest.mark.parametrize("path", BINDING_FILES, ids=lambda path: path.name)
def test_bindings_hold_no_arithmetic_and_no_tricks(path):
    text = code(path)
    assert "pocketfft" not in text
    assert "target_clones" not in text
    # The headers beside the bindings convert whole arrays; a bind_<stem>.cpp only calls.
    if path.suffix == ".cpp":
        assert not re.search(r"\b(for|while)\s*\(", text), "a loop in a binding belongs in the core"
    assert not re.search(r"\bstd::(exp|log|sqrt|pow|fma)\b|<cmath>", text), "arithmetic belongs in the core"


@pytest.mark.parametrize("path", API_FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_api_needs_numpy_and_the_core_only(path):
    assert api_violations(path.read_text()) == []


def test_every_layer_was_read():
    assert len(CORE_FILES) >= 10
    assert PACKAGE / "__init__.py" in API_FILES
    assert PACKAGE / "renyi" / "ledger.py" in API_FILES
    assert ROOT / "cpp" / "bindings" / "module.cpp" in BINDING_FILES


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("gdp.cpp", "#include <iostream>"),
        ("gdp.cpp", "#include <Python.h>"),
        ("gdp.cpp", "#include <pybind11/numpy.h>"),
        ("gdp.cpp", '#include "pocketfft.hpp"'),
        ("gdp.cpp", '__attribute__((target_clones("default"))) int f();'),
        ("gdp.cpp", '#include "pack.hpp"'),
        ("gdp.cpp", "#pragma omp parallel for"),
    ],
)
def test_the_reader_sees_a_wrong_line_of_the_core(name, source):
    assert core_violations(name, set(INCLUDE.findall(source)), source)


@pytest.mark.parametrize(
    "source",
    [
        "import scipy",
        "import pandas",
        "def f():\n    from matplotlib import pyplot",
        "from . import cli",
        "from .report import Report",
    ],
)
def test_the_reader_sees_a_wrong_import_of_the_api(source):
    assert api_violations(source)
