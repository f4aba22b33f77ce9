"""HTTP servers that fail and lie: wrong ranges, cut bodies, redirects, objects that change size.

A file that Penstock reads must be whole, and one that the server had. Any other answer of the
server must end in an error, and `close()` must return.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from random import Random
from time import sleep
from typing import Any

import numpy as np

from penstock import Pipeline, fn
from penstock.engine.errors import PenstockError
from penstock.tests.readers.servers import ObjectServer

from .corrupt_records import record_file, values_of

FAULTS = ("", "", "503", "404", "loop", "drop", "cut", "short", "shift")
IDLE_LIMIT = 0.3
"""Seconds after which the server closes an idle connection, before the runner looks for leaks."""


def case(seed: int) -> None:
    """Read one epoch from a server with a few faults."""
    random = Random(seed)
    with ObjectServer(ranges=random.random() < 0.8, lengths=random.random() < 0.8) as server:
        server.idle_limit = IDLE_LIMIT
        server.faults.extend(random.choice(FAULTS) for _ in range(random.randint(0, 8)))
        random.choice((read_files, read_records))(server, random)


def read_files(server: ObjectServer, random: Random) -> None:
    """Read whole files, some of which are replaced while they are read."""
    versions: dict[str, set[bytes]] = {}
    for number in range(random.randint(1, 16)):
        content = random.randbytes(random.choice((0, 1, 700, 70_000)))
        server.objects[f"{number:02}.bin"] = content
        versions[f"{number:02}.bin"] = {content}
    replaced = {
        path: random.randbytes(random.choice((1, 300, 90_000)))
        for path in random.sample(sorted(versions), random.randint(0, len(versions)))
    }
    for path, content in replaced.items():
        versions[path].add(content)
    delay = random.uniform(0, 0.05)

    def replace_objects() -> None:
        sleep(delay)
        server.objects.update(replaced)

    thread = threading.Thread(target=replace_objects)
    thread.start()
    files = [f"{server.url}/{path}" for path in versions]
    contents = read(lambda: fn.readers.file(files=files)[0], len(files))
    thread.join()
    for path, content in zip(versions, contents, strict=False):
        assert content in versions[path], f"{path}: {len(content)} bytes that it never held"


def read_records(server: ObjectServer, random: Random) -> None:
    """Read records with checksums, by ranges of a file."""
    written = [random.randbytes(random.randint(0, 3000)) for _ in range(random.randint(1, 60))]
    server.objects["file.tfrecord"] = record_file(written)
    url = f"{server.url}/file.tfrecord"
    for number, content in enumerate(read(lambda: values_of(url), len(written))):
        assert content == written[number], f"record {number} is another one"


def read(make: Callable[[], Any], count: int) -> list[bytes]:
    """Return the samples that are read before the first error."""
    samples: list[bytes] = []
    try:
        with Pipeline(4, num_threads=2, seed=1) as pipeline:
            node = make()
            node = next(iter(node.values())) if isinstance(node, dict) else node
            pipeline.set_outputs(node)
            while len(samples) < count:
                (output,) = pipeline.run()
                samples += [np.asarray(output.at(i)).tobytes() for i in range(len(output))]
    except (PenstockError, OSError):
        pass
    return samples[:count]
