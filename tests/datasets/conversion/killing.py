"""Kills a conversion at random moments, goes on with it, and kills it again.

    python killing.py SOURCE DESTINATION FORMAT KILLS SEED

Each run is a forked child, so it starts at once. Prints how often a child was killed. Before each
run, every file with a final name must be whole: the same as in a later run.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

from penstock import datasets

WORK = ".penstock-convert"


def final_files(root):
    """Return the content of the files with final names, without lists of shards."""
    files = (path for path in root.rglob("*") if path.is_file())
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in files
        if not path.relative_to(root).parts[0].startswith((WORK, ".penstock"))
        and not path.name.endswith(".penstock-index")
    }


def run_child(source, destination, to, delay):
    """Convert in a child that is killed after `delay` seconds; return whether it was killed."""
    child = os.fork()
    if not child:
        status = 1
        try:
            datasets.convert(
                source, destination, to=to, shard_count=8, shuffle_seed=3, resume=True, workers=2
            )
            status = 0
        finally:
            os._exit(status)  # a child must not go on with this program
    deadline = time.monotonic() + delay
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            assert status == 0, status
            return False
        time.sleep(0.0005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return True


def main(source, destination, to, kills, seed):
    random.seed(seed)
    whole = Path(f"{destination}-whole")
    started = time.monotonic()
    datasets.convert(source, whole, to=to, shard_count=8, shuffle_seed=3, workers=2)
    longest = time.monotonic() - started
    expected = final_files(whole)
    killed = rounds = 0
    while killed < kills:
        rounds += 1
        root = Path(f"{destination}-{rounds}")
        while run_child(source, root, to, random.random() * longest):
            killed += 1
            for name, content in final_files(root).items():
                assert expected[name] == content, f"{name} is no whole file"
        assert final_files(root) == expected
    print(killed)


if __name__ == "__main__":
    main(*sys.argv[1:4], *map(int, sys.argv[4:]))
