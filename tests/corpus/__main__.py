"""Decode the files of other projects, and compare with independent libraries.

    python -m penstock.tests.corpus FOLDER --sample 200

judges the files below a folder: images with Pillow, tifffile and imagecodecs, audio with libsndfile
and FFmpeg, videos with FFmpeg. `make corpus CORPUS=FOLDER` does so. Each file is judged in a
process of its own, with a time limit. The program prints a table and each file at fault. The exit
status is 1 if there is a fault, or if too many readable files of a medium are refused.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path

from .media import MEDIA, medium_of
from .runner import judge_files
from .verdicts import FAULTS, Kind, Verdict

MAX_REFUSED = 0.01
"""Largest share of refused files among those that a judge can read, for each medium."""


def main() -> int:
    """Judge the files, print the table, and return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sample", type=int, help="judge this many files of each medium at most")
    parser.add_argument("--only", action="append", choices=MEDIA, help="judge this medium")
    parser.add_argument("--processes", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--seconds", type=float, default=60.0, help="time limit for a file")
    parser.add_argument("--verbose", action="store_true", help="print every verdict")
    arguments = parser.parse_args()

    found = [path for path in sorted(arguments.folder.rglob("*")) if path.is_file()]
    files: list[Path] = []
    for medium in arguments.only or MEDIA:
        files += _sample([path for path in found if medium_of(path) == medium], arguments.sample)
    if not files:
        parser.error(f"{arguments.folder} holds no image, audio file or video")
    table: Counter[tuple[str, Kind]] = Counter()
    with tempfile.TemporaryDirectory() as logs:
        for path, verdict in judge_files(
            files,
            processes=arguments.processes,
            seconds=arguments.seconds,
            logs=Path(logs),
        ):
            table[str(medium_of(path)), verdict.kind] += 1
            is_shown = verdict.kind in FAULTS or verdict.kind == Kind.REFUSED_WITH_REASON
            if arguments.verbose or is_shown:
                print(_line(path.relative_to(arguments.folder), verdict), flush=True)
    _print_table(table)
    problems = faults(table)
    for problem in problems:
        print(f"FAULT: {problem}")
    judged = sum(table.values())
    print(f"{judged - len(problems)} passed, {len(problems)} failed")
    return 1 if problems else 0


def faults(table: Counter[tuple[str, Kind]]) -> list[str]:
    """Return what a table holds that a corpus must not hold."""
    problems = [
        f"{count} {medium}: {kind}"
        for (medium, kind), count in sorted(table.items())
        if kind in FAULTS
    ]
    for medium in MEDIA:
        total = sum(
            count
            for (its_medium, kind), count in table.items()
            if its_medium == medium and kind != Kind.REFUSED_BY_ALL
        )
        refused = table[medium, Kind.REFUSED_WITH_REASON]
        if refused > MAX_REFUSED * total:
            problems.append(f"{refused} of {total} readable {medium} are refused")
    return problems


def _sample(files: list[Path], count: int | None) -> list[Path]:
    """Return `count` of the files, the same ones in each run, spread by a hash of the name."""
    if count is None or count >= len(files):
        return files
    return sorted(files, key=lambda path: hashlib.sha256(os.fsencode(path.name)).digest())[:count]


def _line(path: Path, verdict: Verdict) -> str:
    return f"{verdict.kind}: {str(path)!r}: {' '.join(verdict.detail.split())}"


def _print_table(table: Counter[tuple[str, Kind]]) -> None:
    media = [medium for medium in MEDIA if any(name == medium for name, _ in table)]
    width = max(len(kind) for kind in Kind)
    print(" " * width, *(f"{medium:>8}" for medium in media))
    for kind in Kind:
        print(f"{kind:<{width}}", *(f"{table[medium, kind]:>8}" for medium in media))


if __name__ == "__main__":
    sys.exit(main())
