"""`datasets.convert` beside `cp -r` and beside plain scripts with each format's own package.

Each pair takes turns on the same files: class folders of photographs of about 110 KB. Penstock
writes a shard for each core, hashes it (SHA-256), and waits until the disk has it. `cp -r` and the
scripts do neither, so "synced" compares with `cp -r` and a `sync` of the file system.

    python benchmarks/convert.py [--count 16384] [--folder FOLDER] [--only NAME ...] [--rounds 5]
        [--cpu] [--json FILE]
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from penstock.benchmarks import common

Offered = dict[str, tuple[str, common.Turn, common.Turn | None]]
FORMATS = ("tfrecord", "webdataset", "recordio", "lmdb")


def source(folder: Path, count: int) -> Path:
    """Return class folders with `count` files, copies of a few photographs."""
    root = folder / f"photographs-{count}"
    if not root.exists():
        photographs = sorted(common.photographs(256).rglob("*.jpg"))
        partial_root = folder / "photographs.partial"
        shutil.rmtree(partial_root, ignore_errors=True)
        for number in range(count):
            target = partial_root / f"class{number % 8}" / f"{number:06d}.jpg"
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(photographs[number % len(photographs)], target)
        partial_root.rename(root)
    return root


def rate(root: Path, clock: Callable[[], float], work: Callable[[Path], object]) -> float:
    """Return the megabytes of files a second at which `work` writes to a new folder."""
    size = sum(path.stat().st_size for path in root.rglob("*.jpg"))
    out = root.with_name("out")
    shutil.rmtree(out, ignore_errors=True)
    os.sync()
    started = clock()
    work(out)
    seconds = clock() - started
    shutil.rmtree(out)
    return size / 1e6 / seconds


def convert(root: Path, to: str, out: Path) -> None:
    """Convert with Penstock."""
    from penstock import datasets

    datasets.convert(root, out, to=to, shard_count=len(os.sched_getaffinity(0)))


def copy(root: Path, synced: bool, out: Path) -> None:
    """Copy with `cp -r`."""
    subprocess.run(["cp", "-r", root, out], check=True)
    if synced:
        subprocess.run(["sync", "-f", out], check=True)


def files_of(root: Path) -> Iterator[tuple[str, int, bytes]]:
    """Yield key, label and bytes of each file, as a plain script reads them."""
    for label, folder in enumerate(sorted(root.iterdir())):
        for path in sorted(folder.iterdir()):
            yield f"{folder.name}/{path.stem}", label, path.read_bytes()


def script_tfrecord(root: Path, out: Path) -> None:
    """Write with the package `tfrecord`."""
    out.mkdir()
    writer = importlib.import_module("tfrecord.writer").TFRecordWriter(str(out / "a.tfrecord"))
    for key, label, image in files_of(root):
        values = {"image": (image, "byte"), "label": (label, "int"), "key": (key.encode(), "byte")}
        writer.write(values)
    writer.close()


def script_webdataset(root: Path, out: Path) -> None:
    """Write with the package `webdataset`."""
    out.mkdir()
    with importlib.import_module("webdataset").TarWriter(str(out / "a.tar")) as writer:
        for key, label, image in files_of(root):
            writer.write({"__key__": key, "jpg": image, "cls": label})


def script_lmdb(root: Path, out: Path) -> None:
    """Write with the package `lmdb`, a transaction for 100 samples, as Caffe's tool does."""
    import lmdb

    with lmdb.open(str(out), map_size=1 << 40) as environment:
        transaction = environment.begin(write=True)
        for number, (key, label, image) in enumerate(files_of(root), 1):
            transaction.put(f"{key}.jpg".encode(), image)
            transaction.put(f"{key}.cls".encode(), b"%d" % label)
            if number % 100 == 0:
                transaction.commit()
                transaction = environment.begin(write=True)
        transaction.commit()


SCRIPTS = {
    "tfrecord": script_tfrecord,
    "webdataset": script_webdataset,
    "lmdb": script_lmdb,
}


def measurements(
    root: Path, clock: Callable[[], float]
) -> dict[str, tuple[str, common.Turn, common.Turn | None]]:
    """Return unit, Penstock's turn and the other program's turn by name."""
    todo: Offered = {}
    for to in FORMATS:
        ours = partial(rate, root, clock, partial(convert, root, to))
        for name, synced in (("cp -r", False), ("cp -r synced", True)):
            theirs = partial(rate, root, clock, partial(copy, root, synced))
            todo[f"{to}, {name}"] = "MB/s", ours, theirs
        script = SCRIPTS.get(to)
        if script is not None and importlib.util.find_spec(to) is not None:
            theirs = partial(rate, root, clock, partial(script, root))
            todo[f"{to}, package"] = "MB/s", ours, theirs
    return todo


def main() -> int:
    """The command line."""
    parser = common.command_line(__doc__)
    parser.add_argument("--count", type=int, default=16384, help="photographs of 110 KB")
    parser.add_argument(
        "--folder", type=Path, default=common.PHOTOS.parent / "convert", help="for the files"
    )
    parser.add_argument(
        "--cpu", action="store_true", help="count the seconds of computing, for busy machines"
    )

    def offered(options: argparse.Namespace) -> common.Measurements:
        options.folder.mkdir(parents=True, exist_ok=True)
        clock = common.cpu_seconds if options.cpu else time.perf_counter
        return measurements(source(options.folder, options.count), clock)

    return common.main(parser, offered, "the other")


if __name__ == "__main__":
    sys.exit(main())
