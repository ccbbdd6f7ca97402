# SPDX-License-Identifier: Apache-2.0
"""Write images/report.png: the head of the report of the README's run, as a browser shows it.

Run: python docs/make_report_picture.py (needs Chromium or Chrome on the path)
"""

import shutil
import subprocess
import tempfile
from pathlib import Path

from PIL import Image

import hockeystick as hs

TARGET = Path(__file__).parent / "images" / "report.png"
WIDTH, HEIGHT, SCALE, COLOURS = 1010, 1032, 1.5, 48


def main() -> None:
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    run = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
    with tempfile.TemporaryDirectory() as folder:
        page, picture = Path(folder) / "report.html", Path(folder) / "report.png"
        run.report(delta=1e-5, dataset_size=60_000, unit="person").save(page, audience="decision")
        flags = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            f"--user-data-dir={folder}/profile",
        ]
        view = [f"--window-size={WIDTH},{HEIGHT}", f"--force-device-scale-factor={SCALE}", f"--screenshot={picture}"]
        subprocess.run([browser, *flags, *view, page.as_uri()], check=True, capture_output=True)
        image = Image.open(picture).convert("RGB")
    # Few colours: the page has few, and the file stays small.
    image.quantize(COLOURS).save(TARGET, optimize=True)


if __name__ == "__main__":
    main()
