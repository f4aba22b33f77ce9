"""The input pipeline of SSD300, beside NVIDIA DALI's, and the operators that it needs.

Both libraries read the same data set in COCO's format with the same pipelines. They take turns in
one process. Without DALI, the program prints the figures of Penstock alone. With `--device gpu`,
the pipeline decodes on the GPU, and encodes the boxes there. The data set is drawn, or has random
boxes on copies of the JPEG files in a folder.

    python benchmarks/ssd.py [--device gpu] [--photographs FOLDER] [--batch 32] [--threads 2]
        [--only NAME ...] [--rounds 5] [--json FILE]
"""

from __future__ import annotations

import argparse
import io
import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from penstock.benchmarks import common
from penstock.benchmarks.looking import Looked, Watched
from penstock.benchmarks.training_cpu import Library, by_turns
from penstock.examples.ssd import MEAN, SIDE, STD, STDS, ssd_anchors

OFFSETS = {"means": [0.0] * 4, "stds": STDS}
WINDOWS = {
    "aspect_ratio": [0.5, 2.0],
    "scaling": [0.3, 1.0],
    "thresholds": [0.0, 0.1, 0.3, 0.5, 0.7, 0.9],
    "bbox_layout": "xyXY",
    "num_attempts": 50,
}
WARM_UP_SECONDS = 6.0  # processes start, kernels are compiled, and groups of batches grow
BOXES_OF_SAMPLES = (1, 2, 3, 5, 8, 20)  # as many as images of COCO have
Graph = Callable[[Library], Any]


def train(
    library: Library, images_folder: str, annotations: str, anchors: list[float], device: str
) -> Any:
    """Return normalized images, encoded boxes and their labels, as SSD300 trains with them."""
    fn, types = library.fn, library.types
    encoded, boxes, labels = fn.readers.coco(
        file_root=images_folder,
        annotations_file=annotations,
        ltrb=True,
        ratio=True,
        random_shuffle=True,
        skip_empty=True,
    )
    start, shape, boxes, labels = fn.random_bbox_crop(boxes, labels, **WINDOWS)
    images = fn.decoders.image_slice(
        encoded, start, shape, device="mixed" if device == "gpu" else "cpu"
    )
    images = fn.resize(images, size=(SIDE, SIDE))
    flipped = fn.random.coin_flip()
    boxes = fn.bb_flip(boxes, ltrb=True, horizontal=flipped)
    images = fn.brightness_contrast(
        images,
        brightness=fn.random.uniform(range=[0.875, 1.125]),
        contrast=fn.random.uniform(range=[0.5, 1.5]),
    )
    images = fn.hsv(
        images,
        hue=fn.random.uniform(range=[-18.0, 18.0]),
        saturation=fn.random.uniform(range=[0.5, 1.5]),
    )
    normal = {"mean": MEAN, "std": STD, "dtype": types.FLOAT, "output_layout": "CHW"}
    images = fn.crop_mirror_normalize(images, mirror=flipped, **normal)
    if device == "gpu":
        boxes, labels = boxes.gpu(), labels.gpu()
    boxes, labels = fn.box_encoder(boxes, labels, anchors=anchors, offset=True, **OFFSETS)
    return images, boxes, labels


def samples(count: int) -> tuple[list[Any], list[Any]]:
    """Return boxes and labels of `count` samples."""
    rng = np.random.default_rng(0)
    counts = rng.choice(BOXES_OF_SAMPLES, count)
    boxes = [np.sort(rng.random((n, 2, 2), np.float32), axis=1).reshape(n, 4) for n in counts]
    return boxes, [rng.integers(1, 80, n).astype(np.int32) for n in counts]


def each_batch(rows: list[Any]) -> Callable[[], list[Any]]:
    """Return a source of the same samples in every batch."""
    return lambda: rows


def operator(
    library: Library, name: str, batch: int, inputs: Sequence[str], **arguments: Any
) -> Any:
    """Return the results of one operator on inputs in memory: images, boxes or labels."""
    boxes, labels = samples(batch)
    images = [np.zeros((300, 400, 3), np.uint8)] * batch
    columns = {"images": images, "boxes": boxes, "labels": labels}
    wanted = [columns[name] for name in inputs]
    nodes = [library.fn.external_source(source=each_batch(rows)) for rows in wanted]
    results = getattr(library.fn, name)(*nodes, **arguments)
    return tuple(results) if isinstance(results, list | tuple) else (results,)


def speed(library: Library, graph: Graph, options: argparse.Namespace) -> Looked:
    """Return images a second."""
    define = library.pipeline_def(
        batch_size=options.batch,
        num_threads=options.threads,
        device_id=0 if options.device == "gpu" else None,
        seed=1,
    )
    watched = Watched((library.name, graph), define(lambda: graph(library)))
    common.run_for(watched.run, WARM_UP_SECONDS)
    return watched.looked(common.batches_a_second(watched.run) * options.batch)


def drawn(count: int) -> tuple[str, str]:
    """Return the folder and the annotations of a drawn data set."""
    root = common.PHOTOS.parent / f"benchmark_coco_{count}"
    tree = common.generator().coco_tree(root, images=count, size=(375, 500))
    return str(tree.root), str(tree.instances)


def annotated(photographs: Path, count: int, folder: Path) -> tuple[str, str]:
    """Return a folder with `count` copies of JPEG files, and annotations with random boxes."""
    files = sorted(photographs.rglob("*.jpg"))
    images: list[dict[str, Any]] = []
    annotations: list[dict[str, Any]] = []
    for number, boxes in enumerate(samples(count)[0]):
        content = files[number % len(files)].read_bytes()
        with Image.open(io.BytesIO(content)) as image:
            width, height = image.size
        name = f"{number:06}.jpg"
        (folder / name).write_bytes(content)
        images.append({"id": number, "file_name": name, "width": width, "height": height})
        for left, top, right, bottom in (boxes * ([width, height] * 2)).tolist():
            box = [left, top, right - left, bottom - top]
            about = {"id": len(annotations), "image_id": number, "category_id": 1, "iscrowd": 0}
            annotations.append({**about, "bbox": box, "area": box[2] * box[3]})
    table = {"images": images, "annotations": annotations, "categories": [{"id": 1, "name": "a"}]}
    path = folder / "instances.json"
    path.write_text(json.dumps(table))
    return str(folder), str(path)


def measurements(options: argparse.Namespace, folder: Path) -> dict[str, Graph]:
    """Return the graphs to measure, by name."""
    images, annotations = (
        annotated(options.photographs, options.images, folder)
        if options.photographs
        else drawn(options.images)
    )
    anchors = ssd_anchors().reshape(-1).tolist()
    encoding = {"anchors": anchors, "offset": True, **OFFSETS}
    inputs = ("boxes", "labels")
    one = partial(operator, batch=options.batch, inputs=inputs)
    return {
        "ssd300": partial(
            train,
            images_folder=images,
            annotations=annotations,
            anchors=anchors,
            device=options.device,
        ),
        "random_bbox_crop": partial(one, name="random_bbox_crop", **WINDOWS),
        "box_encoder": partial(one, name="box_encoder", **encoding),
        "bbox_rotate": partial(one, name="bbox_rotate", angle=30.0, input_shape=[300, 400]),
        "bb_flip": partial(operator, name="bb_flip", batch=options.batch, inputs=inputs[:1]),
        "ssd_random_crop": partial(
            operator, name="ssd_random_crop", batch=options.batch, inputs=("images", *inputs)
        ),
    }


def main() -> int:
    """The command line."""
    parser = common.command_line(__doc__)
    parser.add_argument("--device", choices=("cpu", "gpu"), default="cpu")
    parser.add_argument("--photographs", type=Path, metavar="FOLDER", help="JPEG files to use")
    parser.add_argument("--images", type=int, default=256, help="images in the data set")
    parser.add_argument("--batch", type=int, default=32, help="batch size")
    parser.add_argument("--threads", type=int, default=2, help="number of workers")
    with tempfile.TemporaryDirectory() as folder:

        def offered(options: argparse.Namespace) -> common.Measurements:
            graphs = measurements(options, Path(folder))
            turns = {
                name: partial(speed, graph=graph, options=options) for name, graph in graphs.items()
            }
            return by_turns({name: ("images/s", turn, turn) for name, turn in turns.items()})

        return common.main(parser, offered)


if __name__ == "__main__":
    sys.exit(main())
