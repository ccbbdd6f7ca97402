# SPDX-License-Identifier: Apache-2.0
"""The workflow files run what the gate runs, on the versions that the package names."""

import ast
import json
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = {path.stem: path.read_text() for path in (ROOT / ".github" / "workflows").glob("*.yml")}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
NOXFILE = ast.parse((ROOT / "noxfile.py").read_text())


def sessions() -> dict[str, ast.FunctionDef]:
    return {node.name: node for node in NOXFILE.body if isinstance(node, ast.FunctionDef) and node.decorator_list}


def decorator_lists(session: str) -> list[list[str]]:
    """Lists of strings among the arguments of a session's decorators."""
    calls = [each for each in sessions()[session].decorator_list if isinstance(each, ast.Call)]
    values = [*(keyword.value for call in calls for keyword in call.keywords), *(arg for c in calls for arg in c.args)]
    return [ast.literal_eval(value) for value in values if isinstance(value, ast.List)]


def matrix(workflow: str, name: str) -> list[str]:
    [found] = re.findall(rf"^ +{name}: \[(.*)\]$", WORKFLOWS[workflow], re.MULTILINE)
    return [each.strip(' "') for each in found.split(",")]


def test_the_gate_is_run_as_it_is():
    """By its own file, which then cannot differ."""
    assert "- run: bash .ci/run\n" in WORKFLOWS["ci"]
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"^make (\w+)$", (ROOT / ".ci" / "run").read_text(), re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)


@pytest.mark.parametrize("workflow", sorted(WORKFLOWS))
def test_every_session_that_is_called_exists(workflow):
    called = re.findall(r"nox -s \"?([a-z_]+)", WORKFLOWS[workflow])
    assert called
    assert set(called) <= set(sessions())


def test_the_versions_of_python_agree():
    """Workflow, nox and the wheels; the first is the one that the metadata requires."""
    versions = matrix("ci", "python")
    assert decorator_lists("tests") == [versions]
    assert f">={versions[0]}" == PROJECT["project"]["requires-python"]
    prefix = "Programming Language :: Python :: 3."
    classified = [each for each in PROJECT["project"]["classifiers"] if each.startswith(prefix)]
    assert versions == [each.rpartition(" ")[2] for each in classified]
    wheels = PROJECT["tool"]["cibuildwheel"]["build"].split()
    assert [f"cp{version.replace('.', '')}-*" for version in versions] == [each for each in wheels if "t-" not in each]


def test_the_presets_agree():
    presets = {each["name"] for each in json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]}
    [known] = decorator_lists("cpp")
    assert set(matrix("ci", "preset")) <= set(known) <= presets


def test_every_system_has_wheels():
    systems = {name.partition("-")[0] for name in matrix("wheels", "os")}
    assert systems == {name.partition("-")[0] for name in matrix("ci", "os")} == {"ubuntu", "macos", "windows"}
