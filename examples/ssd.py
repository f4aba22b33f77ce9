"""The input pipeline of SSD300: images with boxes are distorted, expanded, cropped and encoded.

The program draws a small data set in COCO's format and reads it. The steps and their numbers are
those of Liu et al., "SSD: Single Shot MultiBox Detector" (2016), sections 2.2 and 3. Then the
program draws the boxes on augmented images, and the anchors that match them.

    python examples/ssd.py [--images 64] [--sheet ssd.png]
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from penstock import fn, pipeline_def, types

ROOT = Path(__file__).resolve().parent.parent
MEAN = [0.485 * 255, 0.456 * 255, 0.406 * 255]
STD = [0.229 * 255, 0.224 * 255, 0.225 * 255]
SIDE = 300
BATCH = 16
ACROSS = 4
STDS = [0.1, 0.1, 0.2, 0.2]
GRIDS = (38, 19, 10, 5, 3, 1)
SCALES = (0.07, 0.15, 0.33, 0.51, 0.69, 0.87, 1.05)
RATIOS = ((2,), (2, 3), (2, 3), (2, 3), (2,), (2,))
COLORS = ((90, 230, 120), (250, 200, 60), (90, 160, 250), (240, 110, 200))


def ssd_anchors() -> Any:
    """Return the 8732 anchors of SSD300 as left, top, right and bottom: (8732, 4)."""
    anchors = []
    for grid, scale, larger, ratios in zip(GRIDS, SCALES, SCALES[1:], RATIOS, strict=False):
        sizes = [(scale, scale), ((scale * larger) ** 0.5,) * 2]
        for ratio in ratios:
            wide, narrow = scale * ratio**0.5, scale / ratio**0.5
            sizes += [(wide, narrow), (narrow, wide)]
        centers = (np.arange(grid) + 0.5) / grid
        y, x = np.meshgrid(centers, centers, indexing="ij")
        for width, height in sizes:
            edges = [x - width / 2, y - height / 2, x + width / 2, y + height / 2]
            anchors.append(np.stack(edges, -1).reshape(-1, 4))
    return np.concatenate(anchors).clip(0, 1).astype(np.float32)


def distorted(images: Any) -> Any:
    """Change brightness, contrast, hue and saturation at random."""
    images = fn.brightness_contrast(
        images,
        brightness=fn.random.uniform(range=[0.875, 1.125]),
        contrast=fn.random.uniform(range=[0.5, 1.5]),
    )
    return fn.hsv(
        images,
        hue=fn.random.uniform(range=[-18.0, 18.0]),
        saturation=fn.random.uniform(range=[0.5, 1.5]),
    )


def expanded(images: Any, boxes: Any) -> tuple[Any, Any]:
    """Put every other image on a canvas up to 4 times as wide and high, in the mean color."""
    ratio = 1 + fn.random.coin_flip() * fn.random.uniform(range=[0.0, 3.0])
    x, y = (fn.random.uniform(range=[0.0, 1.0]) for _ in "xy")
    color = [round(channel) for channel in MEAN]
    images = fn.paste(images, fill_value=color, ratio=ratio, paste_x=x, paste_y=y)
    return images, fn.bbox_paste(boxes, ltrb=True, ratio=ratio, paste_x=x, paste_y=y)


@pipeline_def(batch_size=BATCH, num_threads=2, seed=7)
def ssd_pipeline(images_folder: str, annotations: str, anchors: Any) -> Any:
    """Return normalized images, offsets and labels of anchors, and the boxes with their labels."""
    encoded, boxes, labels = fn.readers.coco(
        file_root=images_folder,
        annotations_file=annotations,
        ltrb=True,
        ratio=True,
        skip_empty=True,
        random_shuffle=True,
        name="coco",
    )
    images = distorted(fn.decoders.image(encoded, output_type=types.RGB))
    images, boxes = expanded(images, boxes)
    start, shape, boxes, labels = fn.random_bbox_crop(
        boxes,
        labels,
        aspect_ratio=[0.5, 2.0],
        scaling=[0.3, 1.0],
        thresholds=[0.0, 0.1, 0.3, 0.5, 0.7, 0.9],
        num_attempts=50,
    )
    images = fn.resize(fn.slice(images, start, shape, axis_names="WH"), size=(SIDE, SIDE))
    mirror = fn.random.coin_flip()
    boxes = fn.bb_flip(boxes, ltrb=True, horizontal=mirror)
    images = fn.crop_mirror_normalize(
        images, dtype=types.FLOAT, output_layout="CHW", mean=MEAN, std=STD, mirror=mirror
    )
    offsets, classes = fn.box_encoder(boxes, labels, anchors=anchors, offset=True, stds=STDS)
    return images, offsets, classes, boxes, labels


def make_data_set(folder: Path, count: int) -> Any:
    """Draw `count` images with objects, and their annotations, with the fixtures' generator."""
    spec = importlib.util.spec_from_file_location("generate", ROOT / "fixtures" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    return generate.coco_tree(folder, images=count, size=(375, 500))


def drawing(image: Any, boxes: Any, labels: Any, matched: Any) -> Any:
    """Return the uint8 HWC picture of a normalized image, with boxes and matched anchors."""
    pixels = (np.asarray(image).transpose(1, 2, 0) * STD + MEAN).clip(0, 255)
    picture = np.ascontiguousarray(pixels.astype(np.uint8))
    for left, top, right, bottom in np.rint(np.asarray(matched) * SIDE).astype(int).tolist():
        cv2.rectangle(picture, (left, top), (right, bottom), (130, 130, 130), 1, cv2.LINE_AA)
    edges = np.rint(np.asarray(boxes) * SIDE).astype(int).tolist()
    for (left, top, right, bottom), label in zip(edges, np.asarray(labels).tolist(), strict=True):
        color = COLORS[label % len(COLORS)]
        cv2.rectangle(picture, (left, top), (right, bottom), color, 2, cv2.LINE_AA)
        cv2.putText(picture, str(label), (left + 4, top + 16), 0, 0.5, color, 1, cv2.LINE_AA)
    return cv2.copyMakeBorder(picture, 4, 4, 4, 4, cv2.BORDER_CONSTANT)


def draw_sheet(outputs: Any, anchors: Any, path: Path) -> None:
    """Draw a batch into a file."""
    images, _, classes, boxes, labels = (output.rows() for output in outputs)
    pictures = [
        drawing(image, box, label, anchors[np.asarray(chosen) > 0])
        for image, box, label, chosen in zip(images, boxes, labels, classes, strict=True)
    ]
    lines = [np.hstack(pictures[i : i + ACROSS]) for i in range(0, len(pictures), ACROSS)]
    cv2.imwrite(str(path), np.vstack(lines)[..., ::-1])


def main() -> None:
    """Read one epoch, print its speed, and draw a batch."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--images", type=int, default=64, help="number of images to draw")
    parser.add_argument("--sheet", type=Path, default=Path("ssd.png"))
    arguments = parser.parse_args()

    folder = ROOT / "fixtures" / "data" / f"ssd_{arguments.images}"
    tree, anchors = make_data_set(folder, arguments.images), ssd_anchors()
    with ssd_pipeline(str(tree.root), str(tree.instances), anchors) as pipeline:
        draw_sheet(pipeline.run(), anchors, arguments.sheet)
        batches = -(-pipeline.epoch_size("coco") // BATCH)
        started, matched = time.perf_counter(), 0
        for _ in range(batches):
            _, _, classes, *_ = pipeline.run()
            matched += sum(int((np.asarray(row) > 0).sum()) for row in classes.rows())
        seconds = time.perf_counter() - started
        count = batches * BATCH
        print(f"{count} images in {seconds:.2f} s, {matched / count:.1f} matched anchors an image")
        print(pipeline.stats(), file=sys.stderr)
    print(f"{arguments.sheet} shows boxes, and the matched anchors in gray")


if __name__ == "__main__":
    main()
