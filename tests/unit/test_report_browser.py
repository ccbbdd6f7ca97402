# SPDX-License-Identifier: Apache-2.0
"""The page in a real browser: its numbers read back, and nothing is cut on a phone, on a desk or on paper."""

import html
import json
import re
import shutil
import subprocess

import pytest

import hockeystick as hs

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no browser on the path")

# Written into the page after it is laid out: what sticks out of it, and which texts of a figure overlap.
PROBE = """
<script>
const wide = document.documentElement.clientWidth;
const out = [];
for (const element of document.querySelectorAll("main *")) {
  const box = element.getBoundingClientRect();
  if (box.width && (box.right > wide + 1 || box.left < -1)) out.push(element.tagName + " " + element.textContent.slice(0, 40));
}
const hits = [];
for (const figure of document.querySelectorAll("figure svg")) {
  const edge = figure.getBoundingClientRect();
  const boxes = [...figure.querySelectorAll("text")].map(t => [t.textContent.trim(), t.getBoundingClientRect()]);
  boxes.forEach(([a, p], i) => {
    if (p.right > edge.right + 2 || p.left < edge.left - 2) hits.push("cut: " + a);
    boxes.slice(i + 1).forEach(([b, q]) => {
      const w = Math.min(p.right, q.right) - Math.max(p.left, q.left);
      const h = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
      if (w > 1 && h > 3) hits.push(a + " on " + b);
    });
  });
}
const found = {wide, scroll: document.documentElement.scrollWidth, out, hits,
  numbers: [...document.querySelectorAll("data")].map(d => [d.value, d.textContent]),
  height: document.body.innerText.length};
document.body.insertAdjacentHTML("beforeend", "<pre id=probe></pre>");
document.getElementById("probe").textContent = JSON.stringify(found);
</script>
"""

# A browser's own window has a least width; a frame in it has none.
FRAME = """<!DOCTYPE html><meta charset="utf-8">
<iframe style="width: {width}px; height: 3000px; border: 0" srcdoc="{page}" onload="
  const found = document.createElement('pre');
  found.id = 'found';
  found.textContent = this.contentDocument.getElementById('probe').textContent;
  document.body.append(found);"></iframe>
"""

REPORTS = {
    "readme": hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000).report(delta=1e-5, dataset_size=60_000),
    "composition": (
        50 * hs.Gaussian(noise_multiplier=40.0)
        + 1000 * hs.Gaussian(noise_multiplier=1.0).poisson(0.01)
        + hs.ZCDP(rho=0.01)
    ).report(delta=1e-5),
    "warnings": hs.dpsgd(noise_multiplier=0.0, sampling_rate=0.01, steps=10).report(
        delta=1e-5, dataset_size=1_000_000, sampling_in_practice="shuffle", title="Averylongtitle" * 8
    ),
}


def browse(path, *arguments):
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={path.parent / 'profile'}"]
    return subprocess.run(
        [*command, *arguments, path.as_uri()], check=True, capture_output=True, text=True, timeout=120
    ).stdout


def probe(report, tmp_path, width, audience="reviewer"):
    page = tmp_path / "page.html"
    inner = report.render("html", audience=audience).replace("</body>", PROBE + "</body>")
    page.write_text(FRAME.format(width=width, page=html.escape(inner, quote=True)), encoding="utf-8")
    dom = browse(page, "--window-size=1600,1000", "--dump-dom")
    return json.loads(html.unescape(re.search(r'<pre id="found">(.*?)</pre>', dom, re.DOTALL)[1]))


@pytest.mark.parametrize(
    ("name", "audience", "width"),
    [
        ("readme", "reviewer", 1280),
        ("readme", "reviewer", 390),
        ("readme", "paper", 390),
        ("warnings", "reviewer", 390),
        ("composition", "reviewer", 390),
    ],
)
def test_nothing_is_cut_and_nothing_overlaps(name, audience, width, tmp_path):
    found = probe(REPORTS[name], tmp_path, width, audience)
    assert found["wide"] <= width
    assert found["scroll"] <= found["wide"]
    assert found["out"] == []
    assert found["hits"] == []


def test_the_browser_reads_the_numbers_back(tmp_path):
    report = REPORTS["readme"]
    found = probe(report, tmp_path, 1280)
    shown = {float(value): text for value, text in found["numbers"]}
    for row in report.epsilon:
        assert {row.lower, row.upper, row.delta} <= shown.keys()
    assert {report.gdp.mu, report.gdp.mu_lower, report.gdp.regret, report.gdp.residual} <= shown.keys()
    assert {row.tpr_upper for row in report.risks.tpr} <= shown.keys()
    assert shown[report.epsilon[0].upper] in {"1.829", "1.82823666656"}


def test_it_prints(tmp_path):
    page = tmp_path / "page.html"
    REPORTS["readme"].save(page, audience="decision")
    browse(page, f"--print-to-pdf={tmp_path / 'page.pdf'}", "--no-pdf-header-footer")
    pdf = (tmp_path / "page.pdf").read_bytes()
    assert pdf.startswith(b"%PDF")
    # One page is what the reader who decides gets.
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == 1
