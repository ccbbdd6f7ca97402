# SPDX-License-Identifier: Apache-2.0
"""Time the contour engine on each instruction set that it is compiled for, and check that all give the same bits.

python bench/instruction_sets.py BUILD [--repetitions 9]

BUILD is a build folder, with libhockeystick_core.a. The kernels are compiled once a level, for that level alone, and
linked in front of the library: what the resolver would choose at load time on a machine of that level. Processor time,
least of the repetitions, the levels in turn. Exits with 1 where bits differ. A level that the machine lacks is left out.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LEVELS = {"baseline": "x86-64", "AVX2": "x86-64-v3", "AVX-512": "x86-64-v4"}
NEEDED = {"baseline": "sse2", "AVX2": "avx2", "AVX-512": "avx512dq"}
FLAGS = ["-std=c++20", "-O3", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-Wno-psabi"]
INCLUDE = f"-I{ROOT / 'cpp' / 'include'}"


def kernels() -> list[Path]:
    """The sources that are compiled for several instruction sets."""
    sources = sorted((ROOT / "cpp" / "src").glob("*.cpp"))
    return [source for source in sources if "HOCKEYSTICK_CLONES" in source.read_text(encoding="utf-8")]


def build(level: str, folder: Path, library: Path) -> Path:
    """The driver with the kernels of one level."""
    compiler, program, objects = os.environ.get("CXX", "c++"), folder / level, []
    for source in kernels():
        objects.append(folder / f"{level}-{source.stem}.o")
        one = ["-DHOCKEYSTICK_NO_CLONES", f"-march={LEVELS[level]}", INCLUDE, "-c", source, "-o", objects[-1]]
        subprocess.run([compiler, *FLAGS, *one], check=True)
    driver = Path(__file__).with_suffix(".cpp")
    subprocess.run([compiler, *FLAGS, INCLUDE, driver, *objects, library, "-fopenmp", "-o", program], check=True)
    return program


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path, help="a build folder, with libhockeystick_core.a")
    parser.add_argument("--repetitions", type=int, default=9)
    arguments = parser.parse_args()
    flags = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    levels = [level for level, flag in NEEDED.items() if flag in flags]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        programs = {level: build(level, folder, arguments.build / "libhockeystick_core.a") for level in levels}
        least: dict[str, dict[str, float]] = {level: {} for level in levels}
        bits: dict[str, set[str]] = {}
        for _ in range(arguments.repetitions):
            for level, program in programs.items():
                answer = subprocess.run([program], check=True, capture_output=True, text=True)
                for line in answer.stdout.splitlines():
                    question, time, result = line.split("|")
                    least[level][question] = min(float(time), least[level].get(question, float("inf")))
                    bits.setdefault(question, set()).add(result)
    print("| question | " + " | ".join(f"{level}, µs" for level in levels) + " | bits |")
    print("| --- |" + " --- |" * (len(levels) + 1))
    for question, results in bits.items():
        times = " | ".join(f"{least[level][question]:.0f}" for level in levels)
        print(f"| {question} | {times} | {'the same' if len(results) == 1 else 'DIFFER'} |")
    return 0 if all(len(results) == 1 for results in bits.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
