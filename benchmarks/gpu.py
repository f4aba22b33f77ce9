"""Runs the tests and the benchmarks that need a GPU, and prints one table at the end.

    python benchmarks/gpu.py [PART ...] [--results FOLDER] [--photographs FOLDER]

Parts: tests, beside (random pipelines beside a model), training, loop (one model that trains),
starts, jpeg, cache, ssd, operators, augmentation, video, numpy, audio, cpu (the CPU stage with many
workers), and memcheck, racecheck and initcheck, in which the compute-sanitizer watches all kernels
of operators. memcheck-jpeg, racecheck-jpeg and initcheck-jpeg do so for those of JPEG.
Benchmarks compare with DALI if it is installed, and write their figures to the folder as JSON. A
benchmark fails if it saw a sample that is not the same alone: see `looking.py`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from penstock.benchmarks.common import seen

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
TOOLS = ("memcheck", "racecheck", "initcheck")
SANITIZERS = (*TOOLS, *(f"{tool}-jpeg" for tool in TOOLS))
UNTIMED = ("tests", "beside", *SANITIZERS)


def commands(photographs: Path | None) -> dict[str, list[str]]:
    """Return the command of each part, without the path of its record."""
    python = sys.executable
    given = ["--photographs", str(photographs)] if photographs else []
    ssd = ["--device", "gpu", "--images", "3072", "--batch", "256", "--threads", "8"]
    chosen = ["-m", "gpu", "tests", "--ignore=tests/parity"]
    batch = ["--batch", "256", "--threads", "8"]
    policies = ["auto_augment image_net", "rand_augment n=2", "trivial_augment_wide"]
    policies += [f"train, {name}" for name in policies]
    augmented = ["--device", "gpu", *batch, "--rounds", "3", "--only", *policies]
    cached = ["--data", "natural", "--count", "4096", "--threads", "16"]
    tests = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:benchmark", *chosen]
    watched = {
        "": [python, str(HERE / "operators_gpu.py"), "--once", "--batch", "3"],
        "-jpeg": [python, str(HERE / "jpeg_gpu.py"), *given, "--once"],
    }
    return {
        "tests": [*tests, "-n", str(min(10, os.cpu_count() or 1))],
        "beside": [python, "-m", "penstock.tests.stress.beside_model", *given],
        "training": [python, str(HERE / "training_gpu.py"), *given, "--threads", "8"],
        "loop": [python, str(HERE / "training_loop.py"), *given],
        "starts": [python, str(HERE / "training_gpu.py"), *given, "--threads", "8", "--starts"],
        "jpeg": [python, str(HERE / "jpeg_gpu.py"), *given],
        "cache": [python, str(HERE / "decoded_cache.py"), *given, "--device", "mixed", *cached],
        "augmentation": [python, str(HERE / "auto_aug.py"), *given, *augmented],
        "ssd": [python, str(HERE / "ssd.py"), *given, *ssd, "--only", "ssd300"],
        "operators": [python, str(HERE / "operators_gpu.py")],
        "video": [python, str(HERE / "video_gpu.py")],
        "numpy": [python, str(HERE / "readers_numpy.py"), "--device", "gpu"],
        "audio": [python, str(HERE / "audio_gpu.py")],
        "cpu": [python, str(HERE / "scaling_cpu.py")],
        **{
            tool + name: ["compute-sanitizer", "--tool", tool, "--error-exitcode", "1", *command]
            for tool in TOOLS
            for name, command in watched.items()
        },
    }


def run(name: str, command: list[str], results: Path) -> tuple[int, float, list[str]]:
    """Run a part; return its exit status, seconds, and the lines for the table."""
    print(f"\n== {name}", flush=True)
    record = results / f"{name}_gpu_{datetime.now(UTC):%Y-%m-%d}.json"
    if name not in UNTIMED:
        command = [*command, "--json", str(record)]
    started = time.monotonic()
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PENSTOCK_REQUIRE_GPU": "1"},
    )
    assert process.stdout is not None
    last = ""
    for line in process.stdout:
        print(line, end="", flush=True)
        last = line.strip() or last
    status = process.wait()
    lines = [last] if name in UNTIMED else []
    if status == 0 and name not in UNTIMED:
        content = json.loads(record.read_text())
        other = content["settings"].get("other", "DALI")
        lines = [described(figure, other) for figure in content["figures"]]
    return status, time.monotonic() - started, lines


def described(figure: Mapping[str, Any], other: str = "DALI") -> str:
    """Return a line of the table for a figure of any benchmark, and what it is compared with."""
    loss = "" if figure.get("loss") is None else f"  loss {figure['loss']:.3f}"
    return _described(figure, other) + loss + seen(figure.get("compared"), figure.get("wrong"))


def _described(figure: Mapping[str, Any], other: str) -> str:
    if "gigabytes" in figure:
        return (
            f"{figure['name']:32}{figure['gigabytes']:9.0f} GB/s  "
            f"{100 * figure['of_large_copy']:4.0f}% of a copy"
        )
    if "of_ceiling" in figure:
        return f"{figure['name']:32}{figure['images']:9.0f} images/s  {figure['of_ceiling']:.3f}"
    if "processes" in figure:
        line = (
            f"{figure['size']}, {figure['workers']} workers: threads {figure['threads']:.0f}, "
            f"processes {figure['processes']:.0f}, chosen {figure['chosen']:.0f}"
        )
        return line + (f", DALI {figure['dali']:.0f}" if figure.get("dali") else "")
    line = f"{figure['name']:32}{figure['ours']:9.5g} {figure['unit']}"
    return line + (f"  {figure['ratio']:6.2f} times {other}" if figure.get("ratio") else "")


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="PART", help="what to run; by default all")
    parser.add_argument("--results", type=Path, default=HERE / "results", metavar="FOLDER")
    parser.add_argument("--photographs", type=Path, metavar="FOLDER", help="JPEG files to use")
    options = parser.parse_args()
    offered = commands(options.photographs)
    unknown = set(options.names) - set(offered)
    if unknown:
        parser.error(f"there is no {', '.join(sorted(unknown))}; there are: {', '.join(offered)}")
    options.results.mkdir(parents=True, exist_ok=True)
    done = {
        name: run(name, offered[name], options.results) for name in options.names or list(offered)
    }
    print()
    for name, (status, seconds, lines) in done.items():
        print(f"{name:12}{'ok' if status == 0 else f'failed ({status})':12}{seconds:6.0f} s")
        for line in lines:
            print(f"    {line}")
    return int(any(status for status, _, _ in done.values()))


if __name__ == "__main__":
    sys.exit(main())
