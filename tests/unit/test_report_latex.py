# SPDX-License-Identifier: Apache-2.0
"""The LaTeX tables, set by LaTeX itself where it is installed: nothing undefined, nothing in the margin."""

import shutil
import subprocess

import pytest

import hockeystick as hs

pytest.importorskip("jinja2")

LATEX = shutil.which("pdflatex")
RUN = hs.dpsgd(noise_multiplier=1.1, dataset_size=60_000, batch_size=256, epochs=60)
MECHANISMS = {
    "run": RUN,
    "several releases": RUN + 50 * hs.Gaussian(noise_multiplier=40.0) + hs.Laplace(noise_multiplier=10.0),
    "no noise": hs.dpsgd(noise_multiplier=0.0, sampling_rate=0.01, steps=10),
}
PAGE = r"\documentclass{article}\usepackage{booktabs}\begin{document}%s\end{document}"


@pytest.mark.skipif(LATEX is None, reason="no LaTeX on the path")
@pytest.mark.parametrize("name", MECHANISMS)
def test_latex_sets_every_table(tmp_path, name):
    report = MECHANISMS[name].report(delta=1e-5, title="50 % & more: $5 #1_a {b} ~^\\", unit="person")
    tables = "".join(report.render("tex", audience=each) for each in ("reviewer", "decision", "paper"))
    # Each audience labels its tables in its own document.
    tables = "\n".join(line for line in tables.splitlines() if not line.startswith(r"  \label"))
    (tmp_path / "page.tex").write_text(PAGE % tables, encoding="utf-8")
    command = [LATEX, "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    made = subprocess.run(command, check=False, capture_output=True, cwd=tmp_path, timeout=60)
    log = (tmp_path / "page.log").read_text(encoding="latin-1")
    assert made.returncode == 0, log[-2000:]
    assert "Overfull" not in log, log
    assert r"\caption{}" not in tables
