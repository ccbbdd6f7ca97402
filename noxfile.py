# SPDX-License-Identifier: Apache-2.0
"""The jobs of the gate, one session each, and those that are run by hand."""

import nox

nox.options.sessions = ["tests", "cpp", "lint"]
nox.options.default_venv_backend = "venv"


@nox.session(python=["3.11", "3.12", "3.13", "3.14"])
def tests(session: nox.Session) -> None:
    """Python tests on each version, against the installed wheel."""
    session.install(".[test,peers]")
    session.run("pytest", *session.posargs)


@nox.session
@nox.parametrize("preset", ["dev", "asan", "tsan", "release"])
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


@nox.session
def docs(session: nox.Session) -> None:
    """HTML pages in build/docs; warnings are errors."""
    session.install(".[docs]")
    session.run("sphinx-build", "-n", "-W", "--keep-going", "docs", "build/docs")


@nox.session
def bench(session: nox.Session) -> None:
    """Time the kernels; run by hand, never in the gate."""
    session.install(".[bench,peers]")
    session.run("pytest", "bench", *session.posargs)
