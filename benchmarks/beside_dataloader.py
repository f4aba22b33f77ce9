"""Training crops by Penstock, beside the loaders that most people use.

    python benchmarks/beside_dataloader.py --photographs FOLDER [--count 512] [--json FILE]

Each loader reads the same photographs (natural mix of `natural_data.py`), as class folders, as tar
files or as Parquet, and gives batches of 64: a random window at 224x224, mirrored, normalized.

    torch             DataLoader of PyTorch, Pillow, torchvision's transforms
    torch-tensors     the same with torchvision's own JPEG decoder and transforms of tensors
    webdataset        webdataset's loader, Pillow, torchvision's transforms
    datasets          Hugging Face's `with_transform` in PyTorch's DataLoader
    dali, penstock    pipelines, also through the iterators for PyTorch

Loaders take turns, each in a process of its own, which counts the CPU seconds of itself and of its
children after some epochs. DataLoaders have the number of workers that is fastest in a first
turn. Before each turn, the loader gives its first images without chance: the largest window, not
mirrored. Their pixels must be those of Pillow and torchvision within TOLERANCE, or the benchmark
ends.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from argparse import Namespace
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from statistics import median

import numpy as np

from penstock import datasets as data_sets
from penstock.benchmarks import common, natural_data
from penstock.benchmarks.other_loaders import LOADERS, SIZE, STD, Batches, Job, transforms
from penstock.tests.torchvision_library import load_torchvision

WARM_EPOCHS = 4
"""Epochs that are not counted: processes start, and memory is new. Penstock starts processes once
it has seen that threads wait for the interpreter."""

WORKERS = (1, 2, 4, 8)
"""Numbers of worker processes that are tried."""

CHECKED = 32
DRAWN = 2
"""Images of these that may differ by more: once in 200 images the window that is drawn is all of an
image but a column or a line, by either library's rounding."""
TOLERANCE = 3.0
"""Mean difference of an image from torchvision's, in levels of 255. JPEG decoders differ by one or
two levels where they enlarge colors, and filters by parts of a level."""


@dataclass
class Row:
    """The median of a loader's turns.

    Attributes:
        form, loader: see the head of the program.
        workers: of the loader, processes or threads.
        images_per_second: by the clock, on a machine as busy as the record says.
        cpu_seconds: of all processes, for 1,000 images.
        lowest, highest: CPU seconds of single turns.
        difference: mean difference of the checked images from torchvision's, in levels.
    """

    form: str
    loader: str
    workers: int
    images_per_second: float
    cpu_seconds: float
    lowest: float
    highest: float
    difference: float


def turn(loader: str, job: Job, folder: str) -> dict[str, float]:
    """Compare images, and read epochs, in this process; return counts, seconds, CPU seconds."""
    make = LOADERS[job.form][loader]
    difference = compared(make(replace(job, workers=1, epochs=1, checked=True)), folder)
    files = sum(1 for _ in Path(folder).glob("*/*"))
    images, begun = 0, (0, 0.0, 0.0)
    for batch, labels in make(replace(job, epochs=job.epochs + WARM_EPOCHS)):
        assert batch.shape[1:] == (3, SIZE, SIZE)
        images += len(labels)
        if not begun[0] and images >= WARM_EPOCHS * files:
            begun = images, time.perf_counter(), common.cpu_seconds()
    return {
        "images": images - begun[0],
        "seconds": time.perf_counter() - begun[1],
        "cpu": common.cpu_seconds() - begun[2],
        "difference": difference,
    }


def compared(batches: Batches, folder: str) -> float:
    """Return the largest mean difference of the first images from torchvision's, but of a few.

    Raises:
        RuntimeError: an image or a label is another one.
    """
    from PIL import Image
    from torchvision.datasets import ImageFolder

    samples = iter(ImageFolder(folder).samples)
    transform = transforms(Job("", "folder", 0, checked=True))
    found: list[float] = []
    for batch, classes in batches:
        for image, label in zip(batch, np.asarray(classes).reshape(-1).tolist(), strict=True):
            path, own = next(samples)
            picture = Image.open(path)
            if picture.getexif().get(natural_data.ORIENTATION, 1) != 1:
                continue  # pipelines turn such photographs, and ImageFolder does not
            wanted = transform(picture.convert("RGB")).numpy()
            levels = np.abs(np.asarray(image) - wanted) * 255 * np.reshape(STD, (3, 1, 1))
            found.append(float(levels.mean()))
            if label != own:
                raise RuntimeError(f"{path} has the label {label} in place of {own}")
            if len(found) == CHECKED:
                largest = sorted(found)[-1 - DRAWN]
                if largest > TOLERANCE:
                    raise RuntimeError(f"images differ by {largest} levels and more")
                return largest
    raise RuntimeError(f"there are {len(found)} images")


def in_process(loader: str, job: Job, folder: str) -> dict[str, float]:
    """Run `turn` in a new process."""
    text = json.dumps([loader, vars(job), folder])
    done = subprocess.run(
        [sys.executable, "-W", "ignore", __file__, "--job", text],
        env=os.environ | {"HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{loader} of {job.form}: {done.stderr[-2000:]}")
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    print(f"{job.form:12}{loader:15}{1000 * found['cpu'] / found['images']:6.2f} s", flush=True)
    return found


def loader_versions() -> dict[str, str]:
    """Return the versions of the libraries that load."""
    return {name: version(name) for name in ("torch", "torchvision", "pillow", "webdataset")}


def measure(options: Namespace) -> list[Row]:
    """Find the loaders' numbers of workers, and let them take turns."""
    folder = natural_data.data_set("natural", options.count, options.photographs)
    paths = {"folder": str(folder)}
    for form in set(options.forms) - {"folder"}:
        target = folder.with_name(f"{folder.name}_{form}")
        if not target.exists():
            data_sets.convert(folder, target, to=form, shard_count=8)
        paths[form] = str(target)
    turns: dict[Job, list[dict[str, float]]] = {}
    for form, loaders in LOADERS.items():
        for loader in loaders:
            if form not in options.forms or (options.only and loader not in options.only):
                continue
            counts = (options.threads,) if loader in ("dali", "penstock") else options.workers
            rates = {}
            for count in counts if len(counts) > 1 else ():
                tried = in_process(loader, Job(paths[form], form, count), str(folder))
                rates[count] = tried["images"] / tried["seconds"]
            best = max(rates, key=rates.__getitem__) if rates else counts[0]
            job = Job(paths[form], form, best, options.epochs, name=loader)
            turns[job] = []
    for done in range(1, options.rounds + 1):
        for job, found in turns.items():
            found.append(in_process(job.name, job, str(folder)))
        rows = [row(job, found) for job, found in turns.items()]
        # After each round, because all of them take long.
        common.record(options, rows, rounds=done, load=os.getloadavg(), loaders=loader_versions())
    return rows


def row(job: Job, turns: list[dict[str, float]]) -> Row:
    """Return the medians of turns."""
    cpu = [1000 * t["cpu"] / t["images"] for t in turns]
    rates = [t["images"] / t["seconds"] for t in turns]
    difference = max(t["difference"] for t in turns)
    values = (median(rates), median(cpu), min(cpu), max(cpu), difference)
    return Row(job.form, job.name, job.workers, *(round(value, 3) for value in values))


def main() -> int:
    """Run the benchmark, or a turn of it."""
    parser = common.command_line(__doc__)
    parser.add_argument("--job", help="a turn, for processes of this program")
    parser.add_argument("--count", type=int, default=512, help="photographs (512)")
    parser.add_argument("--epochs", type=int, default=3, help="epochs of a turn (3)")
    parser.add_argument("--photographs", type=Path, help="folder of photographs to make files of")
    parser.add_argument("--forms", nargs="+", default=[*LOADERS], help="forms of the data")
    parser.add_argument("--workers", type=int, nargs="+", default=WORKERS, help="that are tried")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()
    load_torchvision()
    if options.job:
        loader, fields, folder = json.loads(options.job)
        print(json.dumps(turn(loader, Job(**fields), folder)))
        return 0
    rows = measure(options)
    print(f"{'':12}{'':15}{'workers':>8}{'images/s':>10}{'CPU s / 1,000':>15}")
    for r in rows:
        print(
            f"{r.form:12}{r.loader:15}{r.workers:8}{r.images_per_second:10.0f}"
            f"{r.cpu_seconds:15.2f}  ({r.lowest:.2f} to {r.highest:.2f})"
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
