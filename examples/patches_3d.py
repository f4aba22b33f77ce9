"""Random patches of large volumes for training a 3-D segmentation network.

Makes volumes of smooth random blobs, and label volumes of the blobs, as `.npy` files. Two readers
read the same random window of an image and of its label; of each file only the bytes near the
window are read. The patches come as PyTorch tensors, on the GPU if there is one (as NumPy arrays
where PyTorch is not installed). The last batch's middle slices are drawn with the labels' outlines.
With PyTorch, a small network learns to find the blobs in a second epoch.

    python examples/patches_3d.py [--patches 512] [--side 192] [--picture patches_3d.png]
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
PATCH = 64
BATCH = 16


@pipeline_def(batch_size=BATCH, num_threads=4, seed=42)
def patch_pipeline(images: list[str], labels: list[str], side: int, device: str) -> Any:
    """Return patches of images (float32) and of labels (uint8), each of shape (64, 64, 64)."""
    corner = fn.random.uniform(range=[0, side - PATCH], shape=[3], dtype=types.INT32)
    # Both readers shuffle by the same seed, so that a patch and its labels are of one volume.
    window: dict[str, Any] = {"roi_start": corner, "roi_shape": [PATCH] * 3, "random_shuffle": True}
    options = {**window, "pad_last_batch": True, "cache_header_information": True}
    image = fn.readers.numpy(files=images, device=device, name="images", **options)
    label = fn.readers.numpy(files=labels, device=device, **options)
    return image, label


def smooth_noise(shape: tuple[int, int, int], grain: int, seed: int) -> np.ndarray[Any, Any]:
    """Return coarse random numbers, enlarged by `grain`."""
    coarse = np.random.default_rng(seed).standard_normal(
        [n // grain + 2 for n in shape], np.float32
    )
    depth, height, width = shape
    planes = np.stack(
        [cv2.resize(p, (width, height), interpolation=cv2.INTER_CUBIC) for p in coarse]
    )
    columns = planes.reshape(len(coarse), -1)
    enlarged = cv2.resize(columns.T, (depth, columns.shape[1]), interpolation=cv2.INTER_LINEAR)
    return enlarged.T.reshape(shape)


def make_volumes(folder: Path, count: int, side: int) -> tuple[list[str], list[str]]:
    """Write volumes and their labels, unless they exist; return the paths of both."""
    folder.mkdir(parents=True, exist_ok=True)
    images = [folder / f"image_{i}.npy" for i in range(count)]
    labels = [folder / f"label_{i}.npy" for i in range(count)]
    for i, (image, label) in enumerate(zip(images, labels, strict=True)):
        if label.exists():
            continue
        field = smooth_noise((side, side, side), 24, seed=i)
        texture = smooth_noise((side, side, side), 3, seed=1000 + i)
        inside = field > 0.6
        np.save(image, (0.5 * field + 0.8 * inside + 0.2 * texture).astype(np.float32))
        np.save(label, inside.astype(np.uint8))
    return list(map(str, images)), list(map(str, labels))


def chosen_device() -> str:
    """Return "gpu" if PyTorch and CuPy can use a GPU, else "cpu"."""
    if any(importlib.util.find_spec(name) is None for name in ("torch", "cupy")):
        return "cpu"
    return "gpu" if importlib.import_module("torch").cuda.is_available() else "cpu"


def batches(pipeline: Pipeline) -> Any:
    """Return an iterator over one epoch: PyTorch tensors if possible, else NumPy arrays."""
    has_torch = importlib.util.find_spec("torch") is not None
    plugin = importlib.import_module(f"penstock.plugin.{'pytorch' if has_torch else 'arrays'}")
    return plugin.GenericIterator(
        pipeline,
        ["image", "label"],
        reader_name="images",
        last_batch_policy=plugin.LastBatchPolicy.PARTIAL,
    )


def learn(iterator: Any) -> list[float]:
    """Train a small network for one epoch; return the loss of each step."""
    import torch
    from torch import nn

    torch.manual_seed(0)
    model: nn.Module = nn.Sequential(
        nn.Conv3d(1, 8, 5, stride=2, padding=2), nn.ReLU(),
        nn.Conv3d(8, 8, 3, padding=1), nn.ReLU(),
        nn.Conv3d(8, 1, 1), nn.Upsample(scale_factor=2, mode="trilinear"),
    )  # fmt: skip
    optimizer, losses = torch.optim.Adam(model.parameters(), lr=1e-2), []
    for (batch,) in iterator:
        model.to(batch["image"].device)
        wanted = batch["label"].unsqueeze(1).float()
        scores = model(batch["image"].unsqueeze(1))
        loss: Any = nn.functional.binary_cross_entropy_with_logits(scores, wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def progress(done: int, total: int, started: float) -> None:
    """Redraw the progress bar of a terminal."""
    if not sys.stderr.isatty():
        return
    width = 40
    filled = width * done // total
    rate = done / (time.perf_counter() - started)
    bar = "#" * filled + "." * (width - filled)
    end = "\n" if done == total else ""
    print(f"\r[{bar}] {done}/{total} patches, {rate:.0f}/s", end=end, file=sys.stderr, flush=True)


def picture(images: np.ndarray[Any, Any], labels: np.ndarray[Any, Any], path: Path) -> None:
    """Draw the middle slices of up to 12 patches, with the outlines of their labels."""
    tiles = []
    for image, label in zip(images[:12, PATCH // 2], labels[:12, PATCH // 2], strict=True):
        grey = cv2.normalize(image, np.empty_like(image), 0, 255, cv2.NORM_MINMAX).astype(np.uint8)
        tile = cv2.cvtColor(cv2.resize(grey, None, fx=3, fy=3), cv2.COLOR_GRAY2BGR)
        large = cv2.resize(label, None, fx=3, fy=3, interpolation=cv2.INTER_NEAREST)
        outlines, _ = cv2.findContours(large, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
        cv2.drawContours(tile, outlines, -1, (60, 200, 255), 1)
        tiles.append(cv2.copyMakeBorder(tile, 2, 2, 2, 2, cv2.BORDER_CONSTANT))
    columns = min(4, len(tiles))
    rows = [np.hstack(tiles[i : i + columns]) for i in range(0, len(tiles), columns)]
    cv2.imwrite(str(path), np.vstack([row for row in rows if row.shape == rows[0].shape]))


def on_host(data: Any) -> np.ndarray[Any, Any]:
    """Return a batch as a NumPy array."""
    return np.asarray(data.cpu() if hasattr(data, "cpu") else data)


def main() -> None:
    """Run the example."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--volumes", type=int, default=4, help="number of volumes")
    parser.add_argument("--side", type=int, default=192, help="elements along each axis")
    parser.add_argument("--patches", type=int, default=512, help="patches in an epoch")
    parser.add_argument("--picture", type=Path, default=Path("patches_3d.png"))
    arguments = parser.parse_args()

    folder = ROOT / "fixtures" / "data" / f"volumes_{arguments.side}"
    images, labels = make_volumes(folder, arguments.volumes, arguments.side)
    times = -(-arguments.patches // arguments.volumes)  # patches of each volume in an epoch
    device = chosen_device()
    with patch_pipeline(images * times, labels * times, arguments.side, device) as pipeline:
        iterator = batches(pipeline)
        total, done, started = pipeline.epoch_size("images"), 0, time.perf_counter()
        for (batch,) in iterator:
            done += len(batch["label"])
            progress(done, total, started)
        seconds = time.perf_counter() - started
        type_name = f"{type(batch['image']).__module__}.{type(batch['image']).__name__}"
        print(f"{done} patches of {folder.name} in {seconds:.2f} s: {done / seconds:.0f} patches/s")
        print(
            f"each batch: image {tuple(batch['image'].shape)} {batch['image'].dtype}, a {type_name}"
        )
        print(f"\nWhere the time went:\n{pipeline.stats()}\n")
        picture(on_host(batch["image"]), on_host(batch["label"]), arguments.picture)
        if importlib.util.find_spec("torch") is not None:
            losses = learn(iterator)
            print(f"loss: {losses[0]:.3f} at first, {losses[-1]:.3f} after {len(losses)} steps")
    print(f"{arguments.picture} shows patches of the last batch")


if __name__ == "__main__":
    main()
