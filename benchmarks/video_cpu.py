"""Random clips of 16 frames on the CPU, beside NVIDIA DALI and beside frames fetched one by one.

Videos have 720 lines and key frames every 30 or 250 frames. DALI's CPU operators decode VP8 and
VP9, not H.264. H.264 is therefore compared with a loop over PyAV that seeks to each frame, in as
many threads. All take turns in one process.

    python benchmarks/video_cpu.py [--json FILE] [--rounds 5] [--clips 24]
"""

from __future__ import annotations

import argparse
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np

from penstock.benchmarks import common
from penstock.benchmarks.training_cpu import THREADS, Library, close, load, load_dali

FOLDER = common.PHOTOS.parent / "videos"
FRAMES, RATE, LENGTH, BATCH, FILES = 300, 30, 16, 4, 4
SIZE = 1280, 720
ENCODERS: dict[str, tuple[str, dict[str, str]]] = {
    "h264.mp4": ("libx264", {"preset": "veryfast", "crf": "23"}),
    "vp8.webm": ("libvpx", {"deadline": "realtime", "cpu-used": "8", "b": "4M"}),
}


def videos(
    form: str, group: int, folder: Path = FOLDER, files: int = FILES, frames: int = FRAMES
) -> list[str]:
    """Return the paths of videos: a window that moves over a photograph."""
    codec, options = ENCODERS[form]
    photograph = next(common.photographs(8, (750, 1000), 70).rglob("*.jpg"))
    pixels = cv2.imread(str(photograph))
    assert pixels is not None
    picture = cv2.resize(pixels, (SIZE[0] * 2, SIZE[1] * 2))[:, :, ::-1].astype(np.uint8)
    paths = []
    for number in range(files):
        path = folder / f"{number}_{group}_{form}"
        paths.append(str(path))
        if path.exists():
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        with av.open(str(path), "w") as output:
            stream: Any = output.add_stream(codec, rate=RATE, options=options)
            stream.width, stream.height = SIZE
            stream.pix_fmt, stream.gop_size = "yuv420p", group
            for i in range(frames):
                y, x = (i * (number + 1)) % SIZE[1], (2 * i) % SIZE[0]
                window = np.ascontiguousarray(picture[y : y + SIZE[1], x : x + SIZE[0]])
                frame = av.VideoFrame.from_ndarray(window, format="rgb24")
                frame.pts, frame.time_base = i, Fraction(1, RATE)
                output.mux(stream.encode(frame))
            output.mux(stream.encode(None))
    return paths


def random_clips(library: Library, paths: list[str], clips: int) -> float:
    """Return clips a second of a reader of random clips."""

    def graph(library: Library, _: str) -> Any:
        return library.fn.experimental.readers.video(
            filenames=paths, sequence_length=LENGTH, step=7, random_shuffle=True, name="clips"
        )

    pipeline = library.pipeline(graph, "", batch_size=BATCH)
    pipeline.build()
    pipeline.run()
    started = time.perf_counter()
    for _ in range(clips // BATCH):
        pipeline.run()
    seconds = time.perf_counter() - started
    close(pipeline)
    return clips / seconds


def one_by_one(paths: list[str], clips: int) -> float:
    """Return clips a second of threads that seek to each frame."""
    random = np.random.default_rng(1)
    files, starts = random.integers(0, (len(paths), FRAMES - LENGTH), (clips, 2)).T.tolist()

    def clip(path: str, start: int) -> Any:
        frames = []
        with av.open(path) as container:
            stream = container.streams.video[0]
            stream.thread_type = "NONE"
            assert stream.time_base is not None
            for number in range(start, start + LENGTH):
                time = round(number / RATE / stream.time_base)
                container.seek(time, stream=stream)
                for frame in container.decode(stream):
                    if frame.pts is not None and frame.pts >= time:
                        frames.append(frame.to_ndarray(format="rgb24"))
                        break
        return np.stack(frames)

    started = time.perf_counter()
    with ThreadPoolExecutor(THREADS) as pool:
        for _ in pool.map(clip, (paths[file] for file in files), starts):
            pass
    return clips / (time.perf_counter() - started)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--clips", type=int, default=24, help="clips in a turn")
    parser.add_argument("--rounds", type=int, default=5, help="turns of each library")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    options = parser.parse_args()
    ours, theirs = load("penstock"), load_dali()
    figures = []
    common.print_header()
    for form, group in (("h264.mp4", 30), ("h264.mp4", 250), ("vp8.webm", 30), ("vp8.webm", 250)):
        paths = videos(form, group)
        other = partial(one_by_one, paths, max(BATCH, options.clips // 4))
        if form.startswith("vp8") and theirs is not None:
            other = partial(random_clips, theirs, paths, options.clips)
        beside = "" if form.startswith("vp8") else ", beside one by one"
        name = f"{form}, group of {group}{beside}"
        turn = partial(random_clips, ours, paths, options.clips)
        figures.append(common.alternate(name, "clips/s", turn, other, options.rounds))
        common.print_figure(figures[-1])
    if options.json:
        common.write_record(
            options.json, figures, clips=options.clips, batch=BATCH, threads=THREADS,
            frames=LENGTH, rounds=options.rounds,
        )  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
