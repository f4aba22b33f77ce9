"""Random clips of a folder of videos for training a network on actions.

Makes videos of moving shapes, one folder a direction. A reader reads random clips of 16 frames with
their labels and times. The clips come as PyTorch tensors, or as NumPy arrays where PyTorch is not
installed. Some clips are drawn as strips of frames with their times.

    python examples/clips.py [--videos 8] [--clips 64] [--picture clips.png]
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np

from penstock import fn, pipeline_def

DIRECTIONS = {"down": (2, 0), "left": (0, -3), "right": (0, 3), "up": (-2, 0)}
LENGTH, HEIGHT, WIDTH, RATE = 16, 96, 160, 30


@pipeline_def(batch_size=4, num_threads=2, seed=42)
def clip_pipeline(root: str) -> Any:
    """Return clips (uint8, FHWC), labels and times in seconds."""
    return fn.experimental.readers.video(
        file_root=root,
        sequence_length=LENGTH,
        step=LENGTH // 2,
        random_shuffle=True,
        enable_timestamps=True,
        name="clips",
    )


def frame_of(direction: tuple[int, int], number: int, color: tuple[int, int, int]) -> Any:
    """Return one frame: a disk on a ground with a grid."""
    image = np.full((HEIGHT, WIDTH, 3), 235, np.uint8)
    image[::16], image[:, ::16] = 210, 210
    y, x = (HEIGHT // 2 + direction[0] * number) % HEIGHT, (80 + direction[1] * number) % WIDTH
    return cv2.circle(image, (x, y), 14, color, -1, cv2.LINE_AA)


def make_videos(root: Path, count: int) -> None:
    """Write `count` videos of two seconds into a folder for each direction."""
    random = np.random.default_rng(5)
    for number in range(count):
        name, direction = list(DIRECTIONS.items())[number % len(DIRECTIONS)]
        path = root / name / f"{number}.mp4"
        if path.exists():
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        color = tuple(random.integers(0, 200, 3).tolist())
        with av.open(str(path), "w") as output:
            stream = output.add_stream("libx264", rate=RATE)
            stream.height, stream.width, stream.pix_fmt = HEIGHT, WIDTH, "yuv420p"
            for i in range(2 * RATE):
                frame = av.VideoFrame.from_ndarray(frame_of(direction, i, color), format="rgb24")
                frame.pts, frame.time_base = i, Fraction(1, RATE)
                output.mux(stream.encode(frame))
            output.mux(stream.encode(None))


def batches_of(pipe: Any) -> Any:
    """Return an iterator over one epoch, of PyTorch tensors if PyTorch is installed."""
    has_torch = importlib.util.find_spec("torch") is not None
    plugin = importlib.import_module(f"penstock.plugin.{'pytorch' if has_torch else 'arrays'}")
    return plugin.GenericIterator(pipe, ["clip", "label", "seconds"], reader_name="clips")


def strip(clip: Any, label: int, seconds: Any) -> Any:
    """Return every fourth frame of a clip in a row, with label and times."""
    tiles = []
    for frame, second in zip(clip[::4], seconds[::4], strict=True):
        tile = cv2.copyMakeBorder(frame, 2, 24, 2, 2, cv2.BORDER_CONSTANT, value=[255] * 3)
        text = f"{sorted(DIRECTIONS)[label]}  {second:.2f} s"
        cv2.putText(
            tile, text, (6, HEIGHT + 18), cv2.FONT_HERSHEY_SIMPLEX, 0.45, (0, 0, 0), 1, cv2.LINE_AA
        )
        tiles.append(tile)
    return np.hstack(tiles)


def main() -> None:
    """Make videos, read clips, and draw some."""
    parser = argparse.ArgumentParser(description="Read random clips of videos.")
    parser.add_argument("--videos", type=int, default=8)
    parser.add_argument("--clips", type=int, default=64)
    parser.add_argument("--folder", type=Path, default=Path("videos"))
    parser.add_argument("--picture", type=Path, default=Path("clips.png"))
    chosen = parser.parse_args()
    make_videos(chosen.folder, chosen.videos)
    pipe = clip_pipeline(str(chosen.folder))
    batches = batches_of(pipe)  # imports PyTorch, which takes seconds
    start, read, last = time.perf_counter(), 0, None
    for batch in batches:
        (last,) = batch
        read += len(last["clip"])
        if read >= chosen.clips:
            break
    seconds = time.perf_counter() - start
    assert last is not None
    rows = zip(
        last["clip"], np.asarray(last["label"]).ravel(), np.asarray(last["seconds"]), strict=True
    )
    sheet = np.vstack([strip(np.asarray(clip), int(label), times) for clip, label, times in rows])
    cv2.imwrite(str(chosen.picture), sheet[:, :, ::-1])
    print(f"{read} clips of {LENGTH} frames in {seconds:.2f} s; some are in {chosen.picture}")
    pipe.close()


if __name__ == "__main__":
    main()
