# SPDX-License-Identifier: Apache-2.0
"""Each error term of the core, switched off in a copy of the source: a C++ test or a certified value must notice.

Run by hand, as it compiles one file and some tests a term (minutes in all; `ccache` is used where it is):

    python tests/mutation/switch_off_terms.py --work /some/folder [part of a name ...]

Needs CMake, Ninja, pybind11, NumPy and the test extra. Prints one line a term and ends with 1 if any went unnoticed but
those that `terms.py` lists as too small for the tests there are.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from terms import TERMS, Term

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 200  # a test that runs longer has noticed, too


def run(command: list[str], **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def build(work: Path, targets: list[str]) -> None:
    done = run(["cmake", "--build", str(work / "build"), "-j2", "--target", *targets])
    if done.returncode:
        sys.exit(done.stdout[-4000:])


def prepare(work: Path) -> None:
    for folder in ("cpp", "cmake", "tests", "python"):
        shutil.copytree(ROOT / folder, work / "repo" / folder, dirs_exist_ok=True)
    for file in ("CMakeLists.txt", "pyproject.toml"):
        shutil.copy(ROOT / file, work / "repo" / file)
    pybind11 = run([sys.executable, "-m", "pybind11", "--cmakedir"]).stdout.strip()
    launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
    options = ["-DHOCKEYSTICK_TESTS=ON", "-DHOCKEYSTICK_BINDINGS=ON", "-DSKBUILD_PROJECT_VERSION=0"]
    done = run(
        ["cmake", "-G", "Ninja", "-S", str(work / "repo"), "-B", str(work / "build"), "-DCMAKE_BUILD_TYPE=Release"]
        + [f"-Dpybind11_DIR={pybind11}", f"-DPython_EXECUTABLE={sys.executable}", *options, *launcher]
    )
    if done.returncode:
        sys.exit(done.stderr)


def fails(command: list[str], **options: object) -> bool:
    try:
        return run(command, timeout=SECONDS, **options).returncode != 0
    except subprocess.TimeoutExpired:
        return True


def noticed_by(work: Path, term: Term) -> str | None:
    """The first test that fails, the C++ ones before the certified values."""
    for stem in term.tests:
        build(work, [f"test_{stem}"])
        if fails([str(work / "build" / f"test_{stem}")]):
            return f"test_{stem}"
    if not term.certified:
        return None
    build(work, ["_core"])
    package = work / "repo" / "python"
    for library in (work / "build").glob("_core*"):
        shutil.copy(library, package / "hockeystick")
    tests = str(work / "repo" / "tests" / "reference" / "test_certified.py")
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-k", term.certified, tests]
    where = {**os.environ, "PYTHONPATH": str(package)}
    return f"test_certified ({term.certified})" if fails(command, env=where, cwd=work / "repo") else None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, required=True, help="folder for the copy and the build; kept")
    parser.add_argument("names", nargs="*", help="only terms whose name holds one of these")
    arguments = parser.parse_args()
    work = arguments.work.resolve()
    prepare(work)
    chosen = [t for t in TERMS if not arguments.names or any(name in t.name for name in arguments.names)]
    noticed = surprises = 0
    for term in chosen:
        path = work / "repo" / term.file
        source = (ROOT / term.file).read_text()
        if source.count(term.old) != 1:
            sys.exit(f"{term.name}: {term.file} holds {term.old!r} {source.count(term.old)} times, wanted once")
        path.write_text(source.replace(term.old, term.new))
        try:
            found = noticed_by(work, term)
        finally:
            path.write_text(source)
        noticed += found is not None
        surprises += found is None and not term.small
        print(f"{term.name}: {found or 'NOT NOTICED ' + term.small}", flush=True)
    print(f"{noticed} of {len(chosen)} terms noticed")
    return 1 if surprises else 0


if __name__ == "__main__":
    sys.exit(main())
