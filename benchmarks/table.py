"""Runs the benchmarks of the CPU, and prints one table of their figures: `make bench`.

python benchmarks/table.py [NAME ...] [--results FOLDER] [--rounds 5]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from penstock.benchmarks.common import Figure, print_figure, print_header

HERE = Path(__file__).resolve().parent
PROGRAMS = (
    "training_cpu",
    "records_grid",
    "readers_records",
    "readers_tfrecord",
    "readers_lmdb",
    "readers_numpy",
    "busy",
)


def figures_of(name: str, rounds: int, folder: Path) -> list[Figure]:
    """Run a benchmark, whose own output goes to standard error, and return its figures."""
    record = folder / f"{name}_{datetime.now(UTC):%Y-%m-%d}.json"
    command = [sys.executable, str(HERE / f"{name}.py"), "--json", str(record)]
    subprocess.run([*command, "--rounds", str(rounds)], stdout=sys.stderr, check=True)
    return [Figure(**values) for values in json.loads(record.read_text())["figures"]]


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(PROGRAMS)}")
    parser.add_argument("--results", type=Path, help="folder for the records, kept")
    parser.add_argument("--rounds", type=int, default=5, help="turns of each library")
    options = parser.parse_args()
    unknown = set(options.names) - set(PROGRAMS)
    if unknown:
        parser.error(f"there is no {', '.join(sorted(unknown))}; there are {', '.join(PROGRAMS)}")
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.results or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        tables = {
            name: figures_of(name, options.rounds, folder) for name in options.names or PROGRAMS
        }
    print_header()
    for name, figures in tables.items():
        print(name)
        for figure in figures:
            print_figure(figure)
    return 0


if __name__ == "__main__":
    sys.exit(main())
