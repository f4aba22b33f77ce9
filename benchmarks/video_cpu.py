"""Clips of 16 frames on the CPU, beside NVIDIA DALI and beside loops over PyAV in as many threads.

Videos have 720 lines and key frames every 30 or 250 frames. DALI's CPU operators decode VP8 and
VP9, not H.264. The loops over PyAV keep their files open. "a seek a clip" seeks to the key frame
before each clip and decodes on, as TorchCodec does; "a seek a frame" seeks to the key frame before
each frame; "straight through" decodes whole files. FFmpeg's usual conversion to RGB repeats each
sample of chroma, Penstock interpolates; "exact" is FFmpeg's conversion that interpolates, too. All
take turns in one process.

    python benchmarks/video_cpu.py [--cpu] [--json FILE] [--only NAME ...] [--rounds 5] [--clips 48]
"""

from __future__ import annotations

import argparse
import sys
import threading
import time
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
from av.video.reformatter import Interpolation

from penstock.benchmarks import common
from penstock.benchmarks.looking import Looked, Watched
from penstock.benchmarks.training_cpu import THREADS, Library, load, load_dali

FOLDER = common.PHOTOS.parent / "videos"
FRAMES, RATE, LENGTH, BATCH, FILES = 300, 30, 16, 4, 4
SIZE = 1280, 720
ENCODERS: dict[str, tuple[str, dict[str, str]]] = {
    "h264.mp4": ("libx264", {"preset": "veryfast", "crf": "23"}),
    "vp8.webm": ("libvpx", {"deadline": "realtime", "cpu-used": "8", "b": "4M"}),
    "vp9.webm": ("libvpx-vp9", {"deadline": "realtime", "cpu-used": "8", "b": "4M"}),
}

Clock = Callable[[], float]
ONE_IN = 3  # clips that are summed: 44 MB take 5 ms, and a clip comes in 100 ms or more
WARM_UP = 3  # more batches than are computed ahead


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


def clips_of_a_reader(
    library: Library, clock: Clock, paths: list[str], clips: int, **arguments: Any
) -> Looked:
    """Return clips a second of a reader of files."""

    def graph(library: Library, _: str) -> Any:
        return library.fn.experimental.readers.video(
            filenames=paths, sequence_length=LENGTH, name="clips", **arguments
        )

    return _rate(library, clock, graph, clips, *paths, *sorted(arguments.items()))


def clips_in_memory(library: Library, clock: Clock, paths: list[str], clips: int) -> Looked:
    """Return clips a second of the decoder of files in memory."""
    starts = np.random.default_rng(1).integers(0, FRAMES - LENGTH, clips + BATCH)

    def graph(library: Library, _: str) -> Any:
        encoded, _ = library.fn.readers.file(files=paths)
        start = library.fn.external_source(
            source=lambda info: np.int32(starts[info.idx_in_epoch % len(starts)]), batch=False
        )
        return library.fn.decoders.video(encoded, start_frame=start, sequence_length=LENGTH)

    return _rate(library, clock, graph, clips, *paths, "in memory")


def _rate(library: Library, clock: Clock, graph: Any, clips: int, *key: Hashable) -> Looked:
    make = partial(library.pipeline, graph, "", batch_size=BATCH)
    watched = Watched((library.name, *key), make, ONE_IN)
    for _ in range(WARM_UP):
        watched.run()
    started = clock()
    for _ in range(clips // BATCH):
        watched.run()
    return watched.looked(clips / (clock() - started))


def rgb(frame: Any, *, exact: bool) -> Any:
    """Return the pixels of a frame as FFmpeg converts them."""
    if not exact:
        return frame.to_ndarray(format="rgb24")
    flags = Interpolation.BILINEAR | Interpolation.FULL_CHR_H_INT | Interpolation.ACCURATE_RND
    return frame.reformat(format="rgb24", interpolation=flags).to_ndarray()


class Loop:
    """A loop over PyAV in threads, which keep their files open.

    Args:
        paths: of the videos.
        seeks: where it seeks: for each "clip" or "frame".
        exact: see `rgb`.
    """

    def __init__(self, paths: list[str], seeks: str, *, exact: bool = False) -> None:
        self._paths = paths
        self._seeks = seeks
        self._exact = exact
        self._own = threading.local()
        self._files = ExitStack()

    def rate(self, clock: Clock, clips: int, *, in_order: bool) -> float:
        """Return clips a second of random clips, or of all clips of the files in order."""
        if in_order:
            starts = [range(0, FRAMES - LENGTH + 1, LENGTH)] * len(self._paths)
            wanted = [(file, start) for file, own in enumerate(starts) for start in own][:clips]
        else:
            random = np.random.default_rng(1)
            limits = len(self._paths), FRAMES - LENGTH
            wanted = [tuple(pair) for pair in random.integers(0, limits, (clips, 2)).tolist()]
        with self._files, ThreadPoolExecutor(THREADS) as pool:
            started = clock()
            for _ in pool.map(self._clip, *zip(*wanted, strict=True)):
                pass
            return len(wanted) / (clock() - started)

    def _clip(self, file: int, start: int) -> Any:
        out = np.empty((LENGTH, SIZE[1], SIZE[0], 3), np.uint8)
        frames: Iterator[Any] = iter(())
        for number in range(LENGTH):
            if self._seeks == "frame" or not number:
                frames = self._frames_from(file, start + number)
            out[number] = rgb(next(frames), exact=self._exact)
        return out

    def _frames_from(self, file: int, number: int) -> Iterator[Any]:
        opened: dict[Any, Any] = self._own.__dict__
        if file not in opened:
            opened[file] = self._files.enter_context(av.open(self._paths[file]))
            opened[file].streams.video[0].thread_type = "NONE"
        container = opened[file]
        stream = container.streams.video[0]
        time = round(number / RATE / stream.time_base)
        container.seek(time, stream=stream)
        return (f for f in container.decode(stream) if f.pts is not None and f.pts >= time)


def straight_through(clock: Clock, paths: list[str], clips: int, *, exact: bool = False) -> float:
    """Return clips a second of threads that decode whole files from their beginning."""
    clips_of_file = -(-clips // len(paths))

    def decode(path: str) -> None:
        out = np.empty((LENGTH, SIZE[1], SIZE[0], 3), np.uint8)
        with av.open(path) as container:
            stream = container.streams.video[0]
            stream.thread_type = "NONE"
            for number, frame in enumerate(container.decode(stream)):
                out[number % LENGTH] = rgb(frame, exact=exact)
                if number + 1 == clips_of_file * LENGTH:
                    return

    started = clock()
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(decode, paths))
    return clips_of_file * len(paths) / (clock() - started)


Offered = dict[str, tuple[str, common.Turn, common.Turn | None]]


def measurements(clock: Clock, clips: int) -> Offered:
    """Return all measurements by name."""
    ours, dali = load("penstock"), load_dali()
    offered: Offered = {}
    for form in ENCODERS:
        for group in (30, 250):
            paths = videos(form, group)
            name = f"{form.partition('.')[0]} {group}"
            of_kind = _beside_loops(ours, clock, paths, clips)
            if dali is not None and not form.startswith("h264"):
                of_kind |= _beside_dali(ours, dali, clock, paths, clips)
            offered |= {f"{name}, {key}": ("clips/s", *turns) for key, turns in of_kind.items()}
    return offered


Turns = dict[str, tuple[common.Turn, common.Turn | None]]
_RANDOM = {"step": 7, "random_shuffle": True}


def _beside_loops(ours: Library, clock: Clock, paths: list[str], clips: int) -> Turns:
    in_order = partial(clips_of_a_reader, ours, clock, paths, clips)
    random = partial(in_order, **_RANDOM)
    clip, frame, exact = Loop(paths, "clip"), Loop(paths, "frame"), Loop(paths, "clip", exact=True)
    through = partial(straight_through, clock, paths, clips)
    return {
        "random: a seek a clip": (random, partial(clip.rate, clock, clips, in_order=False)),
        "random: exact": (random, partial(exact.rate, clock, clips, in_order=False)),
        "random: a seek a frame": (
            partial(clips_of_a_reader, ours, clock, paths, clips // 4, **_RANDOM),
            partial(frame.rate, clock, clips // 4, in_order=False),
        ),
        "in order: a seek a clip": (in_order, partial(clip.rate, clock, clips, in_order=True)),
        "in order: straight through": (in_order, through),
        "in order: exact": (in_order, partial(through, exact=True)),
    }


def _beside_dali(ours: Library, dali: Library, clock: Clock, paths: list[str], clips: int) -> Turns:
    def both(turn: Callable[..., Looked], **arguments: Any) -> tuple[common.Turn, common.Turn]:
        first, second = (
            partial(turn, library, clock, paths, clips, **arguments) for library in (ours, dali)
        )
        return first, second

    return {
        "random: DALI": both(clips_of_a_reader, **_RANDOM),
        "in order: DALI": both(clips_of_a_reader),
        "in memory: DALI": both(clips_in_memory),
    }


def main() -> int:
    """The command line."""
    parser = common.command_line(__doc__)
    parser.add_argument("--clips", type=int, default=48, help="clips in a turn")
    parser.add_argument(
        "--cpu", action="store_true", help="count the seconds of computing, for busy machines"
    )

    def offered(options: argparse.Namespace) -> common.Measurements:
        clock = time.process_time if options.cpu else time.perf_counter
        return measurements(clock, options.clips)

    settings = {"batch": BATCH, "threads": THREADS, "frames": LENGTH}
    return common.main(parser, offered, "the other", **settings)


if __name__ == "__main__":
    sys.exit(main())
