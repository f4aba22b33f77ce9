"""`fn.readers.coco` beside DALI's reader: time to open an annotation file, and images a second.

The annotations are drawn at random, with as many objects and vertices as COCO's own have. The
images are 3,000 files of 110 KB without a picture, because readers do not decode.

    python benchmarks/readers_coco.py [--json FILE] [--only NAME ...] [--rounds 5]
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from penstock.benchmarks import common
from penstock.benchmarks.looking import Looked, Watched

OBJECTS = 7.3  # an image, on average, as in COCO 2017
VERTICES = 25  # a polygon, on average
CROWDS = 0.012  # of all objects
FILE_BYTES = 110_000
HEIGHT, WIDTH = 480, 640

PEAK = """
import re, sys
from pathlib import Path
from penstock.formats.coco.instances import parse_instances

def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])

before = peak()
with open(sys.argv[1], "rb") as file:
    coco = parse_instances(file, sys.argv[1], segmentations=sys.argv[2] == "polygons")
print((peak() - before) / 1024)
"""


def data_set(folder: Path, images: int, *, files: bool) -> Path:
    """Return an annotation file with `images` images, and write the images' files beside it."""
    path = folder / f"{images}.json"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        random = np.random.default_rng(1)
        _write_annotations(path.with_suffix(".partial"), images, random)
        for number in range(images if files else 0):
            (folder / f"{number:012}.jpg").write_bytes(random.bytes(FILE_BYTES))
        path.with_suffix(".partial").replace(path)
    return path


def _write_annotations(path: Path, images: int, random: np.random.Generator) -> None:
    """Write the members in the order that COCO's files have."""
    listed = [
        {
            "license": 3,
            "file_name": f"{number:012}.jpg",
            "coco_url": f"http://images.cocodataset.org/train2017/{number:012}.jpg",
            "height": HEIGHT,
            "width": WIDTH,
            "date_captured": "2013-11-14 11:18:45",
            "id": number,
        }
        for number in range(images)
    ]
    categories = [{"id": number, "name": f"category {number}"} for number in range(1, 91)]
    with path.open("w") as file:
        file.write(f'{{"images": {json.dumps(listed)}, "annotations": [')
        for number in range(int(images * OBJECTS)):
            file.write(", " if number else "")
            json.dump(_annotation(number, images, random), file)
        file.write(f'], "categories": {json.dumps(categories)}}}')


def _annotation(number: int, images: int, random: np.random.Generator) -> dict[str, Any]:
    crowd = random.random() < CROWDS
    box = np.round(random.uniform(1, 200, 4), 2).tolist()
    return {
        "segmentation": _runs(random) if crowd else [_polygon(random, box)],
        "area": round(box[2] * box[3], 4),
        "iscrowd": int(crowd),
        "image_id": int(random.integers(images)),
        "bbox": box,
        "category_id": int(random.integers(1, 91)),
        "id": number,
    }


def _polygon(random: np.random.Generator, box: list[float]) -> list[float]:
    count = 3 + int(random.exponential(VERTICES - 3))
    turns = np.linspace(0, 2 * np.pi, count, endpoint=False)
    edges = np.array(box[2:]) / 2 * random.uniform(0.6, 1, (count, 1))
    points = np.array(box[:2]) + np.array(box[2:]) / 2
    around = points + edges * np.stack([np.cos(turns), np.sin(turns)], axis=1)
    result: list[float] = np.round(around, 2).ravel().tolist()
    return result


def _runs(random: np.random.Generator) -> dict[str, Any]:
    counts = random.integers(1, 1500, 200)
    counts[-1] = HEIGHT * WIDTH - counts[:-1].sum()
    return {"counts": counts.tolist(), "size": [HEIGHT, WIDTH]}


def open_seconds(package: str, path: Path, **options: Any) -> float:
    """Return the seconds that a pipeline of Penstock or DALI takes to read the annotations."""
    started = time.perf_counter()
    pipeline = _pipeline(package, path, 1, {}, **options)
    pipeline.build()
    if hasattr(pipeline, "close"):
        pipeline.close()
    return time.perf_counter() - started


def pipeline_rate(package: str, path: Path, batch_size: int, **options: Any) -> Looked:
    """Return images a second through a whole pipeline of Penstock or DALI, two threads."""
    make = partial(_pipeline, package, path, batch_size, {"random_shuffle": True}, **options)
    watched = Watched((package, path, batch_size, *sorted(options.items())), make)
    rate = batch_size * common.batches_a_second(lambda: common.touch(watched.run()[0]))
    return watched.looked(rate)


def _pipeline(
    package: str, path: Path, batch_size: int, order: dict[str, Any], **options: Any
) -> Any:
    fn = importlib.import_module(f"{package}.fn")

    def define() -> Any:
        outputs = fn.readers.coco(
            file_root=str(path.parent), annotations_file=str(path), **order, **options
        )
        return tuple(outputs)

    pipeline_def = importlib.import_module(package).pipeline_def
    return pipeline_def(batch_size=batch_size, num_threads=2, device_id=None, seed=1)(define)()


def peak_megabytes(path: Path, what: str) -> float:
    """Return by how much the peak of a fresh process's memory grows, if it parses the file."""
    command = [sys.executable, "-c", PEAK, str(path), what]
    return float(subprocess.run(command, capture_output=True, check=True, text=True).stdout)


def measurements(folder: Path) -> common.Measurements:
    """Return unit, Penstock's turn and DALI's turn by name."""
    dali = importlib.util.find_spec("nvidia") and importlib.util.find_spec("nvidia.dali")
    large, small = data_set(folder, 30_000, files=False), data_set(folder, 3000, files=True)
    megabytes = large.stat().st_size // 1_000_000
    outputs: dict[str, dict[str, Any]] = {
        "boxes": {},
        "polygons": {"polygon_masks": True},
        "masks": {"pixelwise_masks": True},
    }
    todo: dict[str, Any] = {}

    def enter(name: str, unit: str, turn: Any, *arguments: Any, **options: Any) -> None:
        both = [partial(turn, package, *arguments, **options) for package in PACKAGES]
        todo[name] = unit, both[0], both[1] if dali else None

    for name, options in outputs.items():
        if name != "masks":
            enter(f"open {megabytes} MB, {name}", "s", open_seconds, large, **options)
            todo[f"peak {megabytes} MB, {name}"] = "MB", partial(peak_megabytes, large, name), None
        for batch_size in (32, 256):
            enter(f"{name} x{batch_size}", "images/s", pipeline_rate, small, batch_size, **options)
    return todo


PACKAGES = "penstock", "nvidia.dali"


def main() -> int:
    """The command line."""
    parser = common.command_line(__doc__)
    folder = common.PHOTOS.parent / "coco_benchmark"
    return common.main(parser, lambda _: measurements(folder), threads=2)


if __name__ == "__main__":
    sys.exit(main())
