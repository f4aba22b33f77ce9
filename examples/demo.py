"""One shuffled, augmented epoch of a folder of photographs, as a training run reads it.

Makes a small data set of class folders, reads it into PyTorch tensors (NumPy arrays where
PyTorch is not installed), and says how fast that was and where the time went. The last batch
is drawn as a contact sheet.

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


@pipeline_def(batch_size=BATCH, num_threads=2, seed=42)
def training_pipeline(folder: str) -> Any:
    """Photographs in class folders to normalised float32 CHW images and labels."""
    encoded, labels = fn.readers.file(
        file_root=folder, random_shuffle=True, pad_last_batch=True, name="photos"
    )
    images = fn.decoders.image_random_crop(encoded, output_type=types.RGB)
    images = fn.resize(images, size=(224, 224))
    images = fn.crop_mirror_normalize(
        images,
        dtype=types.FLOAT,
        output_layout="CHW",
        mean=MEAN,
        std=STD,
        mirror=fn.random.coin_flip(probability=0.5),
    )
    return images, labels


def make_photos(folder: Path, count: int) -> None:
    """Write `count` photographs of eight classes with the fixtures' generator."""
    spec = importlib.util.spec_from_file_location("generate", ROOT / "fixtures" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    if not folder.exists():
        generate.class_folder_tree(folder, classes=8, per_class=-(-count // 8))


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
    """Redraw the progress bar."""
    width = 40
    filled = width * done // total
    rate = done / (time.perf_counter() - started)
    bar = "#" * filled + "." * (width - filled)
    end = "\n" if done == total else ""
    print(f"\r[{bar}] {done}/{total} images, {rate:.0f}/s", end=end, file=sys.stderr, flush=True)


def contact_sheet(images: np.ndarray[Any, Any], labels: np.ndarray[Any, Any], path: Path) -> None:
    """Undo the normalisation and draw up to 24 images with their labels."""
    tiles = []
    for image, label in zip(images[:24], labels.ravel()[:24], strict=True):
        pixels = image.transpose(1, 2, 0) * STD + MEAN
        tile = np.ascontiguousarray(pixels.clip(0, 255).astype(np.uint8)[..., ::-1])
        cv2.putText(tile, f"class {int(label)}", (6, 20), 0, 0.6, (255, 255, 255), 2)
        tiles.append(cv2.copyMakeBorder(tile, 2, 2, 2, 2, cv2.BORDER_CONSTANT))
    columns = min(6, len(tiles))
    rows = [np.hstack(tiles[i : i + columns]) for i in range(0, len(tiles), columns)]
    cv2.imwrite(str(path), np.vstack([row for row in rows if row.shape == rows[0].shape]))


def main() -> None:
    """Run the demo."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--images", type=int, default=256, help="photographs to make")
    parser.add_argument("--sheet", type=Path, default=Path("contact_sheet.png"))
    arguments = parser.parse_args()

    folder = ROOT / "fixtures" / "data" / f"demo_{arguments.images}"
    make_photos(folder, arguments.images)
    with training_pipeline(str(folder)) as pipeline:
        iterator = batches(pipeline)
        total, done, started = pipeline.epoch_size("photos"), 0, time.perf_counter()
        for (batch,) in iterator:
            done += len(batch["label"])
            progress(done, total, started)
        kind = f"{type(batch['data']).__module__}.{type(batch['data']).__name__}"
        seconds = time.perf_counter() - started
        print(f"{done} images of {folder.name} in {seconds:.2f} s: {done / seconds:.0f} images/s")
        print(f"each batch: data {tuple(batch['data'].shape)} {batch['data'].dtype}, a {kind}")
        print(f"\nWhere the time went:\n{pipeline.stats()}\n")
        contact_sheet(np.asarray(batch["data"]), np.asarray(batch["label"]), arguments.sheet)
    print(f"The last batch is drawn in {arguments.sheet}")


if __name__ == "__main__":
    main()
