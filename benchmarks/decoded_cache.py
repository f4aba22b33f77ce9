"""Decoders with a cache of decoded images, beside the same decoders without one.

Pipelines with and without a cache take turns on the same photographs; the cache is full of them
before a turn begins. Then processes, as the ranks of a host, read shards of the photographs
together: the table shows the memory of the cache, and that of the processes beside it.

    python benchmarks/decoded_cache.py [--data natural 256] [--photographs FOLDER] [--threads 1 2]
        [--ranks 1 4] [--busy] [--shorter 256] [--json FILE] [--only NAME ...] [--rounds 5]

With --device mixed, pipelines on the GPU take turns: without a cache, and with one in the memory of
the GPU, in the host's, and on a disk.

    python benchmarks/decoded_cache.py --device mixed --count 4096 --names 4 --threads 16
        --warm-up 14 [...]

There, groups of batches grow for some 14 seconds.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from penstock import fn, pipeline_def
from penstock.benchmarks import common
from penstock.benchmarks.looking import Looked, Watched
from penstock.benchmarks.natural_data import data_set, linked
from penstock.decoders.cache.places import Place, close_cache, open_cache
from penstock.decoders.cache.ram import RamCache

BATCHES = {"cpu": 64, "mixed": 256}
"""Samples of a batch, by the decoder's device."""

MEBIBYTES = 1777
"""Usual size of the caches, unlike that of others: in memory all caches of a size are one."""

CPU_SECONDS = 4.0
"""Seconds of a turn that counts CPU time, which reads `/proc` in steps of 10 ms."""

Graph = Callable[..., Any]


@dataclass(frozen=True)
class Memory:
    """The memory of some ranks of a host.

    Attributes:
        data: the photographs.
        ranks: number of processes.
        cache_mb: of the cache, once for all, in MB.
        processes_mb: of all processes together, without the cache; shared pages count once.
    """

    data: str
    ranks: int
    cache_mb: float
    processes_mb: float


def decode(encoded: Any, **options: Any) -> Any:
    """Decode whole images."""
    return fn.decoders.image(encoded, **options)


def train(encoded: Any, **options: Any) -> Any:
    """Compute the input of a classifier's training."""
    images = fn.decoders.image_random_crop(encoded, **options)
    images = fn.resize(images, size=(224, 224))
    mirror = fn.random.coin_flip(probability=0.5)
    return fn.crop_mirror_normalize(images, mean=[124, 116, 104], std=[58, 57, 57], mirror=mirror)


def pipeline(graph: Graph, folder: Path, threads: int, **options: Any) -> Any:
    """Return a pipeline of photographs; the options are those of the decoder and of shards."""
    shard = {name: options.pop(name) for name in ("shard_id", "num_shards") if name in options}
    batch = BATCHES[options.get("device", "cpu")]

    @pipeline_def(batch_size=batch, num_threads=threads, seed=1)
    def define() -> Any:
        encoded, _ = fn.readers.file(
            file_root=str(folder), random_shuffle=True, name="photographs", **shard
        )
        return graph(encoded, **options)

    return define()


def epoch(watched: Watched) -> None:
    """Run one epoch, so that the cache has all images."""
    pipe = watched.pipeline
    for _ in range(-(-pipe.epoch_size("photographs") // pipe.max_batch_size)):
        watched.run()


def speed(
    graph: Graph, folder: Path, given: argparse.Namespace, threads: int, options: dict[str, Any]
) -> Looked:
    """Return images a second, or a second of CPU time, after an epoch."""
    make = partial(pipeline, graph, folder, threads, **options)
    watched = Watched((graph, folder, threads, *sorted(options.items())), make)
    batch: int = watched.pipeline.max_batch_size
    epoch(watched)
    common.run_for(watched.run, given.warm_up)
    if not given.busy:
        return watched.looked(batch * common.batches_a_second(watched.run))
    used = common.cpu_seconds()
    images = batch * common.run_for(watched.run, CPU_SECONDS)
    return watched.looked(images / (common.cpu_seconds() - used))


def photographs(options: argparse.Namespace, data: str) -> Path:
    """Return a folder of natural photographs, or of photographs whose height is a number."""
    if data.isdecimal():
        folder = common.photographs(options.count, (int(data), int(data) * 4 // 3), 90)
    else:
        folder = data_set(data, options.count, options.photographs)
    return linked(folder, options.names) if options.names > 1 else folder


def measurements(options: argparse.Namespace, folder: str) -> common.Measurements:
    """Return the turns with and without a cache, by name."""
    kinds = {"ram": {}, "disk": {"cache_folder": folder}}
    decoder = {"device": options.device} if options.device == "mixed" else {}
    if decoder:
        kinds = {"gpu": {}, **kinds}
    unit = "images/CPU s" if options.busy else "images/s"
    measurements: dict[str, tuple[str, common.Turn, common.Turn | None]] = {}
    for data, threads in product(options.data, options.threads):
        photos = photographs(options, data)
        for graph, (kind, more) in product((decode, train), kinds.items()):
            turn = partial(speed, graph, photos, options, threads)
            cache = {"cache": kind, "cache_size": options.mebibytes, **more, **decoder}
            if options.shorter:
                cache["shrink_shorter"] = options.shorter
            name = f"{graph.__name__} {data}, {kind}, {threads}"
            measurements[name] = unit, partial(turn, cache), partial(turn, decoder)
    return measurements


def memory(data: str, folder: Path, ranks: int) -> Memory:
    """Let processes read their shards of the photographs, and add their memory."""
    place = Place("ram", MEBIBYTES)
    cache = open_cache(place)
    assert isinstance(cache, RamCache)
    with ExitStack() as stack:
        stack.callback(close_cache, place)
        children = [
            stack.enter_context(
                subprocess.Popen(
                    [sys.executable, __file__, "--rank", str(rank), str(ranks), str(folder)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
            for rank in range(ranks)
        ]
        for child in children:
            assert child.stdout is not None
            child.stdout.readline()
        processes = sum(proportional_set_size(child.pid) for child in children)
        figure = Memory(data, ranks, cache.resident / 1e6, processes / 1e6)
        for child in children:
            child.kill()
    return figure


def proportional_set_size(process: int) -> int:
    """Return a process's memory in bytes, in which pages of several processes count in parts."""
    lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith("Pss:"))


def be_rank(rank: int, ranks: int, folder: Path) -> None:
    """Read a shard, wait for the others to do so, and stay until the end."""
    cache = {"cache": "ram", "cache_size": MEBIBYTES}
    make = partial(pipeline, train, folder, 1, shard_id=rank, num_shards=ranks, **cache)
    watched = Watched(rank, make)
    for _ in range(3):
        epoch(watched)
    print("ready", flush=True)
    sys.stdin.read()


def main() -> int:
    """The command line."""
    if sys.argv[1:2] == ["--rank"]:
        be_rank(int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
        return 0
    parser = common.command_line(__doc__)
    parser.add_argument("--data", nargs="+", default=["natural", "256"], help="a mix, or a height")
    parser.add_argument("--photographs", type=Path, metavar="FOLDER", help="to be encoded anew")
    parser.add_argument("--count", type=int, default=256, help="number of photographs")
    parser.add_argument("--names", type=int, default=1, help="of each file: for long epochs")
    parser.add_argument("--warm-up", type=float, default=0.0, help="more seconds before a turn")
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2], help="worker threads")
    parser.add_argument("--device", choices=BATCHES, default="cpu", help="of the decoders")
    parser.add_argument("--shorter", type=int, default=0, help="shrink_shorter with a cache")
    parser.add_argument("--mebibytes", type=int, default=MEBIBYTES, help="size of the caches")
    parser.add_argument("--busy", action="store_true", help="count CPU time: for busy machines")
    parser.add_argument("--ranks", nargs="+", type=int, default=[1, 4], help="processes")
    options = parser.parse_args()
    figures: list[Any] = []
    with tempfile.TemporaryDirectory() as folder:
        offered = measurements(options, folder)
        figures += common.measure(parser, options.only, offered, options.rounds, "no cache")
    for data, ranks in product(options.data, options.ranks if options.device == "cpu" else ()):
        used = memory(data, photographs(options, data), ranks)
        figures.append(used)
        print(
            f"memory of {ranks} ranks, {data}: the cache {used.cache_mb:.0f} MB, "
            f"the processes {used.processes_mb:.0f} MB"
        )
    common.record(options, figures, other="no cache")
    return 0


if __name__ == "__main__":
    sys.exit(main())
