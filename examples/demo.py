"""One shuffled, augmented epoch of a folder of pictures, as a training run reads it.

The demo draws a small data set of eight classes and reads it into PyTorch tensors, or into NumPy
arrays if PyTorch is not installed. It prints the speed and the time that each stage took. Then it
draws a contact sheet with originals beside augmented pictures.

    python examples/demo.py [--images 256] [--sheet contact_sheet.png]
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import sys
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from penstock import Pipeline, fn, pipeline_def, types

ROOT = Path(__file__).resolve().parent.parent
MEAN = [0.485 * 255, 0.456 * 255, 0.406 * 255]
STD = [0.229 * 255, 0.224 * 255, 0.225 * 255]
BATCH = 32
SIDE = 224
PAIRS_ACROSS, PAIRS_DOWN = 4, 4


def augmented(encoded: Any) -> Any:
    """Crop at random, resize, mirror every other picture and normalize: float32 CHW."""
    images = fn.decoders.image_random_crop(encoded, output_type=types.RGB)
    images = fn.resize(images, size=(SIDE, SIDE))
    return fn.crop_mirror_normalize(
        images,
        dtype=types.FLOAT,
        output_layout="CHW",
        mean=MEAN,
        std=STD,
        mirror=fn.random.coin_flip(probability=0.5),
    )


@pipeline_def(batch_size=BATCH, num_threads=2, seed=42)
def training_pipeline(folder: str) -> Any:
    """Read the pictures of a folder of classes into augmented images and labels."""
    encoded, labels = fn.readers.file(
        file_root=folder, random_shuffle=True, pad_last_batch=True, name="photos"
    )
    return augmented(encoded), labels


@pipeline_def(batch_size=PAIRS_ACROSS * PAIRS_DOWN, num_threads=2, seed=42)
def sheet_pipeline(folder: str) -> Any:
    """Read the same pictures twice: whole as uint8 HWC, and augmented."""
    encoded, labels = fn.readers.file(file_root=folder, random_shuffle=True)
    whole = fn.decoders.image(encoded, output_type=types.RGB)
    return fn.resize(whole, size=(SIDE, SIDE), mode="not_larger"), augmented(encoded), labels


def make_pictures(folder: Path, count: int) -> None:
    """Draw `count` pictures of eight classes with the fixtures' generator."""
    spec = importlib.util.spec_from_file_location("generate", ROOT / "fixtures" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    generate.subject_tree(folder, per_class=-(-count // 8))


def batches(pipeline: Pipeline) -> Any:
    """Return an iterator over one epoch: PyTorch tensors if possible, else NumPy arrays."""
    has_torch = importlib.util.find_spec("torch") is not None
    if not has_torch:
        print("PyTorch is not installed here: batches are NumPy arrays", file=sys.stderr)
    plugin = importlib.import_module(f"penstock.plugin.{'pytorch' if has_torch else 'arrays'}")
    return plugin.GenericIterator(
        pipeline,
        ["data", "label"],
        reader_name="photos",
        last_batch_policy=plugin.LastBatchPolicy.PARTIAL,
    )


def progress(done: int, total: int, started: float) -> None:
    """Redraw the progress bar of a terminal."""
    if not sys.stderr.isatty():
        return
    width = 40
    filled = width * done // total
    rate = done / (time.perf_counter() - started)
    bar = "#" * filled + "." * (width - filled)
    end = "\n" if done == total else ""
    print(f"\r[{bar}] {done}/{total} images, {rate:.0f}/s", end=end, file=sys.stderr, flush=True)


def read_epoch(folder: Path) -> None:
    """Read one epoch and print its speed."""
    with training_pipeline(str(folder)) as pipeline:
        iterator = batches(pipeline)
        total, done, started = pipeline.epoch_size("photos"), 0, time.perf_counter()
        for (batch,) in iterator:
            done += len(batch["label"])
            progress(done, total, started)
        name = f"{type(batch['data']).__module__}.{type(batch['data']).__name__}"
        seconds = time.perf_counter() - started
        print(f"{done} images of {folder.name} in {seconds:.2f} s: {done / seconds:.0f} images/s")
        print(f"each batch: data {tuple(batch['data'].shape)} {batch['data'].dtype}, a {name}")
        print(f"\nWhere the time went:\n{pipeline.stats()}\n")


def contact_sheet(folder: Path, path: Path) -> None:
    """Draw originals, each with its augmented picture on the right."""
    names = sorted(entry.name for entry in folder.iterdir() if entry.is_dir())
    with sheet_pipeline(str(folder)) as pipeline:
        originals, images, labels = (output.rows() for output in pipeline.run())
        pairs = [
            (tile(original, names[label[0]]), tile(denormalized(image), "augmented"))
            for original, image, label in zip(originals, images, labels, strict=True)
        ]
    framed = [
        cv2.copyMakeBorder(np.hstack(pair), 6, 6, 6, 6, cv2.BORDER_CONSTANT) for pair in pairs
    ]
    lines = [np.hstack(framed[i::PAIRS_DOWN]) for i in range(PAIRS_DOWN)]
    cv2.imwrite(str(path), np.vstack(lines)[..., ::-1])


def denormalized(image: Any) -> Any:
    """Return the uint8 HWC picture of a normalized CHW array."""
    pixels = np.asarray(image).transpose(1, 2, 0) * STD + MEAN
    return pixels.clip(0, 255).astype(np.uint8)


def tile(picture: Any, caption: str) -> Any:
    """Return a square on gray with the picture in its center, and the caption below."""
    pixels = np.asarray(picture)
    height, width = pixels.shape[:2]
    square = np.full((SIDE + 24, SIDE, 3), 60, np.uint8)
    top, left = (SIDE - height) // 2, (SIDE - width) // 2
    square[top : top + height, left : left + width] = pixels
    cv2.putText(square, caption, (6, SIDE + 17), 0, 0.55, (255, 255, 255), 1, cv2.LINE_AA)
    return square


def main() -> None:
    """Run the demo."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--images", type=int, default=256, help="number of pictures to draw")
    parser.add_argument("--sheet", type=Path, default=Path("contact_sheet.png"))
    arguments = parser.parse_args()

    folder = ROOT / "fixtures" / "data" / f"demo_{arguments.images}"
    make_pictures(folder, arguments.images)
    read_epoch(folder)
    contact_sheet(folder, arguments.sheet)
    print(f"{arguments.sheet} shows originals beside augmented pictures")


if __name__ == "__main__":
    main()
