"""The input pipeline of Mask R-CNN: images with boxes, polygons and masks of pixels.

The program draws a small data set in COCO's format and reads it. Images are scaled and padded as in
He et al., "Mask R-CNN" (2017), section 3.1, and Lin et al., "Feature Pyramid Networks" (2017): the
shorter side gets 800 pixels unless the longer one would exceed 1333, and both sides become
multiples of 32. Half of the images are mirrored, with all that belongs to them. Then the program
draws a batch: tinted masks, outlines of polygons, and boxes.

    python examples/mask_rcnn.py [--images 24] [--sheet mask_rcnn.png]
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
SHORTER, LONGER = 800, 1333
STRIDE = 32  # of the coarsest level of the pyramid
BATCH = 4
ACROSS = 2
SEED = 5
TINT = 0.5
COLORS = ((90, 230, 120), (250, 200, 60), (90, 160, 250), (240, 110, 200))


def resized(images: Any, shorter: int, longer: int, interp_type: Any) -> Any:
    """Scale images to `shorter` pixels of the shorter side, and at most `longer` of the other."""
    return fn.resize(images, resize_shorter=shorter, max_size=longer, interp_type=interp_type)


@pipeline_def(batch_size=BATCH, num_threads=2, seed=SEED)
def mask_rcnn_pipeline(
    images_folder: str, annotations: str, shorter: int = SHORTER, longer: int = LONGER
) -> Any:
    """Return padded images and masks, and boxes, labels, polygons, vertices and sizes.

    Boxes (left, top, right, bottom) and vertices (x, y) are in pixels of the scaled images, whose
    sizes, height and width, are those before padding.
    """
    data_set: dict[str, Any] = {
        "file_root": images_folder,
        "annotations_file": annotations,
        "skip_empty": True,
        "random_shuffle": True,
        "seed": SEED,  # both readers return the same images
    }
    encoded, boxes, labels, polygons, vertices = fn.readers.coco(
        ltrb=True, ratio=True, polygon_masks=True, name="coco", **data_set
    )
    *_, masks = fn.readers.coco(pixelwise_masks=True, **data_set)
    images = fn.decoders.image(encoded, output_type=types.RGB)
    images = resized(images, shorter, longer, types.INTERP_LINEAR)
    masks = resized(masks, shorter, longer, types.INTERP_NN)

    mirror = fn.random.coin_flip()
    masks = fn.flip(masks, horizontal=mirror)
    boxes = fn.bb_flip(boxes, ltrb=True, horizontal=mirror)
    vertices = fn.coord_flip(vertices, flip_x=mirror)
    sizes = images.shape()[:2]
    width_height = fn.cast(fn.stack(sizes[1], sizes[0]), dtype=types.FLOAT)
    boxes *= fn.cat(width_height, width_height)
    vertices *= width_height

    images = fn.crop_mirror_normalize(
        images, dtype=types.FLOAT, output_layout="CHW", mean=MEAN, std=STD, mirror=mirror
    )
    images, masks = (fn.pad(batch, axis_names="HW", align=STRIDE) for batch in (images, masks))
    return images, masks, boxes, labels, polygons, vertices, sizes


def make_data_set(folder: Path, count: int, size: tuple[int, int] = (480, 640)) -> Any:
    """Draw `count` images with objects, and their annotations, with the fixtures' generator."""
    spec = importlib.util.spec_from_file_location("generate", ROOT / "fixtures" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    return generate.coco_tree(folder, images=count, size=size)


def drawing(
    image: Any, mask: Any, boxes: Any, labels: Any, polygons: Any, vertices: Any, size: Any
) -> Any:
    """Return the uint8 HWC picture of a sample; what is padded is gray, and framed."""
    pixels = (np.asarray(image).transpose(1, 2, 0) * STD + MEAN).clip(0, 255)
    for label in np.unique(mask[mask > 0]).tolist():
        inside = mask[:, :, 0] == label
        pixels[inside] = (1 - TINT) * pixels[inside] + TINT * np.array(color_of(label))
    picture = np.ascontiguousarray(pixels.astype(np.uint8))
    height, width = size.tolist()
    cv2.rectangle(picture, (0, 0), (width - 1, height - 1), (255, 255, 255), 1)
    for instance, first, end in polygons.tolist():
        corners = [np.rint(vertices[first:end]).astype(np.int32)]
        cv2.polylines(picture, corners, True, color_of(int(labels[instance])), 2, cv2.LINE_AA)
    edges = np.rint(boxes).astype(int).tolist()
    for (left, top, right, bottom), label in zip(edges, labels.tolist(), strict=True):
        cv2.rectangle(picture, (left, top), (right, bottom), color_of(label), 1, cv2.LINE_AA)
        at = left + 4, top + 22
        cv2.putText(picture, str(label), at, 0, 0.7, (255, 255, 255), 2, cv2.LINE_AA)
    return picture


def color_of(label: int) -> tuple[int, int, int]:
    """Return the color in which a label is drawn."""
    return COLORS[label % len(COLORS)]


def draw_sheet(outputs: Any, path: Path) -> None:
    """Draw a batch into a file."""
    samples = zip(*(output.rows() for output in outputs), strict=True)
    pictures = [drawing(*map(np.asarray, sample)) for sample in samples]
    pictures = [cv2.copyMakeBorder(p, 4, 4, 4, 4, cv2.BORDER_CONSTANT) for p in pictures]
    lines = [np.hstack(pictures[i : i + ACROSS]) for i in range(0, len(pictures), ACROSS)]
    cv2.imwrite(str(path), np.vstack(lines)[..., ::-1])


def main() -> None:
    """Read one epoch, print its speed, and draw a batch."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--images", type=int, default=24, help="number of images to draw")
    parser.add_argument("--sheet", type=Path, default=Path("mask_rcnn.png"))
    arguments = parser.parse_args()

    folder = ROOT / "fixtures" / "data" / f"mask_rcnn_{arguments.images}"
    tree = make_data_set(folder, arguments.images)
    with mask_rcnn_pipeline(str(tree.root), str(tree.instances)) as pipeline:
        draw_sheet(pipeline.run(), arguments.sheet)
        batches = -(-pipeline.epoch_size("coco") // BATCH)
        started, instances = time.perf_counter(), 0
        for _ in range(batches):
            instances += sum(len(row) for row in pipeline.run()[2].rows())
        seconds = time.perf_counter() - started
        count = batches * BATCH
        print(f"{count} images in {seconds:.2f} s, {instances / count:.1f} instances an image")
        print(pipeline.stats(), file=sys.stderr)
    print(f"{arguments.sheet} shows masks as tints, polygons as outlines, and boxes")


if __name__ == "__main__":
    main()
