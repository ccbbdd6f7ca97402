# SPDX-License-Identifier: Apache-2.0
"""Each error term of the core, switched off in a copy of the source: a C++ test or a certified value must notice.

    make mutation                                                   # all of them, in build/mutation
    python tests/mutation/switch_off_terms.py [part of a name ...]  # some

Compiles one file and links some tests a term, half an hour in all on one core, so it is no part of the gate; `ccache` is
used where it is. Needs CMake, Ninja, pybind11, NumPy and the test extra. Prints a table, and ends with 1 if a term went
unnoticed that `terms.py` does not list as known to, or if a test fails with nothing switched off.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from terms import TERMS, Term

ROOT = Path(__file__).resolve().parents[2]
NO_TESTS = 5  # pytest's exit code
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
        done = run(command, timeout=SECONDS, **options)
    except subprocess.TimeoutExpired:
        return True
    if done.returncode == NO_TESTS or " skipped" in done.stdout:
        sys.exit(f"{' '.join(command)} ran no test: {done.stdout[-400:]}")
    return done.returncode != 0


def noticed_by(work: Path, term: Term) -> str | None:
    """The first test that fails, the C++ ones before the certified values."""
    for stem in term.tests:
        build(work, [f"test_{stem}"])
        if fails([str(work / "build" / f"test_{stem}")]):
            return f"test_{stem}"
    if not term.certified:
        return None
    return f"certified values: {term.certified}" if certified(work, term.certified) else None


def certified(work: Path, cases: str) -> bool:
    """Whether these cases of test_certified*.py fail with the module as it is built now."""
    build(work, ["_core"])
    package = work / "repo" / "python"
    for library in (work / "build").glob("_core*"):
        shutil.copy(library, package / "hockeystick")
    tests = sorted(map(str, (work / "repo" / "tests" / "reference").glob("test_certified*.py")))
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-k", cases, *tests]
    return fails(command, env={**os.environ, "PYTHONPATH": str(package)}, cwd=work / "repo")


def check_that_all_pass(work: Path, terms: list[Term]) -> None:
    """With nothing switched off, so that a test which fails anyway cannot pass for one that notices."""
    stems = sorted({stem for term in terms for stem in term.tests})
    build(work, [f"test_{stem}" for stem in stems])
    failing = [stem for stem in stems if fails([str(work / "build" / f"test_{stem}")])]
    if failing or any(certified(work, cases) for cases in {term.certified for term in terms if term.certified}):
        sys.exit(f"with nothing switched off these fail: {failing or 'certified values'}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--work", type=Path, default=ROOT / "build" / "mutation", help="for the copy and the build; kept"
    )
    parser.add_argument("names", nargs="*", help="only terms whose name holds one of these")
    arguments = parser.parse_args()
    work = arguments.work.resolve()
    prepare(work)
    chosen = [t for t in TERMS if not arguments.names or any(name in t.name for name in arguments.names)]
    check_that_all_pass(work, chosen)
    noticed = surprises = 0
    width = max(len(term.name) for term in chosen)
    for term in chosen:
        path = work / "repo" / term.file
        source = path.read_text()
        if source.count(term.old) != 1:
            sys.exit(f"{term.name}: {term.file} holds {term.old!r} {source.count(term.old)} times, wanted once")
        path.write_text(source.replace(term.old, term.new))
        try:
            found = noticed_by(work, term)
        finally:
            path.write_text(source)
        noticed += found is not None
        surprises += found is None and not term.small
        unnoticed = f"known to go unnoticed: {term.small}" if term.small else "NOT NOTICED"
        print(f"{term.name:{width}}  {found or unnoticed}", flush=True)
    print(f"{noticed} of {len(chosen)} terms noticed")
    return 1 if surprises else 0


if __name__ == "__main__":
    sys.exit(main())
