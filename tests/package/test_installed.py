# SPDX-License-Identifier: Apache-2.0
"""The package as installed: metadata, licences, types, what an import costs."""

import re
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DISTRIBUTION = distribution("hockeystick")


def run_python(code: str) -> str:
    """Standard output of a fresh interpreter."""
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


def installed(suffix: str) -> str:
    """Text of the one installed file whose path ends so."""
    [path] = [path for path in DISTRIBUTION.files or [] if str(path).endswith(suffix)]
    return path.read_text()


def test_licences_travel_with_the_wheel():
    assert DISTRIBUTION.metadata["License-Expression"] == "Apache-2.0 AND BSD-3-Clause"
    assert installed("licenses/LICENSE") == (ROOT / "LICENSE").read_text()
    notice = installed("licenses/LICENSES/pocketfft.txt")
    for holder in ("Max-Planck-Society", "Peter Bell", "Matteo Frigo", "Massachusetts Institute of Technology"):
        assert holder in notice
    headers = installed("licenses/LICENSES/pybind11.txt")
    assert "Wenzel Jakob" in headers
    for text in (notice, headers):
        assert "Redistributions in binary form must reproduce the above copyright" in text


def test_types_travel_with_the_wheel():
    files = {str(path) for path in DISTRIBUTION.files or []}
    assert {"hockeystick/py.typed", "hockeystick/_core.pyi", "hockeystick/__init__.py"} <= files
    assert not [name for name in files if name.endswith((".a", ".hpp", ".cpp"))]


def test_numpy_is_the_only_requirement_and_has_no_cap():
    required = [text for text in DISTRIBUTION.requires or [] if "extra ==" not in text]
    assert [re.match(r"[\w-]+", text).group() for text in required] == ["numpy"]
    assert "<" not in required[0]


def test_stub_matches_the_binding():
    command = [sys.executable, "-m", "mypy.stubtest", "hockeystick._core"]
    result = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT)
    assert result.returncode == 0, result.stdout + result.stderr


def test_version_is_the_newest_of_the_changelog():
    import hockeystick

    [newest, *_] = re.findall(r"^## \[(\d[^\]]*)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert hockeystick.__version__ == DISTRIBUTION.version == newest


def test_import_needs_numpy_only():
    code = """
import sys, numpy
before = {name.partition('.')[0] for name in sys.modules}
import hockeystick
print(*sorted({name.partition('.')[0] for name in sys.modules} - before - sys.stdlib_module_names))
"""
    assert run_python(code).split() == ["hockeystick"]


def test_import_takes_under_100_ms_more_than_numpy():
    # Of this thread: other processes, and NumPy's threads that wait for work, are no property of the import.
    code = "import numpy, time; start = time.thread_time(); import hockeystick; print(time.thread_time() - start)"
    assert min(float(run_python(code)) for _ in range(5)) < 0.1


def test_every_public_name_exists_and_is_documented():
    import hockeystick

    for name in hockeystick.__all__:
        value = getattr(hockeystick, name)
        if callable(value):
            assert value.__doc__, f"{name} has no docstring"
