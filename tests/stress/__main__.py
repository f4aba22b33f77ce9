"""A program that attacks Penstock: damaged files, lying servers, limits, kills, odd settings.

Each module in `attacks/` is an attack: a function `case(seed)` that does one random thing, and
raises an exception if Penstock misbehaves. `runner` runs each case in a process of its own, with a
time limit, and looks for crashes, hangs and leaks. `make stress` starts it; so does

    python -m penstock.tests.stress --minutes 2 --seed 7

The runner prints the attack and the seed of each failure. One case is repeated by

    python -m penstock.tests.stress --only corrupt_images --seed 7 --cases 1

The exit status is 1 if a case failed.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from itertools import count, islice
from time import monotonic

from .all_attacks import ATTACKS
from .runner import Attempt, Case, Runner


def main() -> int:
    """Run cases until the time or their number is used up."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--seed", type=int, default=0, help="seed of each attack's first case")
    parser.add_argument("--only", action="append", choices=sorted(ATTACKS), help="run this attack")
    parser.add_argument("--cases", type=int, help="run this many cases of all attacks together")
    parser.add_argument("--workers", type=int, default=2, help="cases that run at the same time")
    arguments = parser.parse_args()

    names = arguments.only or list(ATTACKS)
    cases = (Case(name, seed) for seed in count(arguments.seed) for name in names)
    runner = Runner(ATTACKS, workers=arguments.workers)
    print(f"seed {arguments.seed}, {arguments.workers} workers, attacks: {', '.join(names)}")
    until = monotonic() + 60 * arguments.minutes
    attempts = []
    for attempt in runner.run(islice(cases, arguments.cases), until):
        attempts.append(attempt)
        if attempt.failure:
            print(f"\n{attempt}\n", flush=True)
        elif sys.stderr.isatty():
            print(f"\r{len(attempts)} cases", end="", file=sys.stderr, flush=True)
    print(table(attempts))
    return any(attempt.failure for attempt in attempts)


def table(attempts: list[Attempt]) -> str:
    """Return the number of cases and failures of each attack."""
    lines = [f"{'attack':20}{'cases':>8}{'failures':>10}  failures by type"]
    for name in dict.fromkeys(attempt.case.attack for attempt in attempts):
        mine = [attempt for attempt in attempts if attempt.case.attack == name]
        failures = Counter(attempt.failure for attempt in mine if attempt.failure)
        ends = ", ".join(f"{end} {number}" for end, number in failures.items())
        lines.append(f"{name:20}{len(mine):8}{failures.total():10}  {ends}".rstrip())
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
