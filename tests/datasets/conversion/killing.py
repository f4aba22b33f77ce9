"""Kills a conversion at random moments, goes on with it, and kills it again.

    python killing.py SOURCE DESTINATION FORMAT KILLS SEED [OPTIONS]

With OPTIONS, which are JSON, the destination is the URL of a folder in a store. Each run is a
forked child, so it starts at once. Prints how often a child was killed. Before each run, every file
with a final name must be whole: the same as in a later run.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
import traceback
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


def run_child(source, destination, to, delay, **options):
    """Convert in a child that is killed after `delay` seconds; return whether it was killed."""
    child = os.fork()
    if not child:
        status = 1
        try:
            how = {"shard_count": 8, "shuffle_seed": 3, "workers": 2, "resume": True, **options}
            datasets.convert(source, destination, to=to, **how)
            status = 0
        except BaseException:
            traceback.print_exc()
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


def objects_of(url, options):
    from penstock.readers.remote.writing import WritableFolder
    from penstock.readers.storage.urls import Url

    store = WritableFolder(Url(url), options)
    while True:
        try:
            return {name: store.read(name) for name in store.listed()}
        except FileNotFoundError:
            pass  # the server is still at work on what a killed child asked for


def main_in_store(source, url, to, kills, seed, options):
    random.seed(seed)
    options = json.loads(options)
    whole = Path(f"{source}-whole")
    datasets.convert(source, whole, to=to, shard_count=8, shuffle_seed=3, workers=2)
    expected = {str(p.relative_to(whole)): p.read_bytes() for p in whole.rglob("*") if p.is_file()}
    started = time.monotonic()
    assert not run_child(source, f"{url}-0", to, 200, destination_options=options)
    longest = time.monotonic() - started
    assert objects_of(f"{url}-0", options) == expected
    killed = rounds = 0
    while killed < kills:
        rounds += 1
        place = f"{url}-{rounds}"
        while run_child(source, place, to, random.random() * longest, destination_options=options):
            killed += 1
            found = objects_of(place, options)
            manifest = found.get("dataset.json")
            assert manifest in (None, expected["dataset.json"])
            if manifest:  # all that it names is there
                assert found | expected == found
        assert objects_of(place, options) == expected
    print(killed)


if __name__ == "__main__":
    source, destination, to, kills, seed, *more = sys.argv[1:]
    (main_in_store if more else main)(source, destination, to, int(kills), int(seed), *more)
