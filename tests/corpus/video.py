"""Judge videos: every frame in order, clips at random, one and four threads, against FFmpeg.

FFmpeg decodes the file from its start, in one thread. A frame of Penstock must have the bytes that
the same planes give, at every place and in any order. One conversion to RGB is compared with
FFmpeg's own one, which interpolates chroma in another way.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray

from penstock import Pipeline, fn
from penstock.engine.errors import PenstockError

from ...decoders.video.pictures import PictureMaker
from .verdicts import Kind, Verdict

MOST_PIXELS = 1 << 30
"""Of a video's frames, the judge compares as many from the start as have so many pixels."""

_MOST_CLIPS = 16  # at random
_LARGEST_DIFFERENCE = 3.0
"""Of RGB by FFmpeg, the median: at edges chroma between samples differs by more."""

Pictures = NDArray[np.uint8]


@dataclass
class Reference:
    """What FFmpeg decodes.

    Attributes:
        digests: of the frames in RGB, in order.
        sizes: of all frames.
        first: frame in RGB, by FFmpeg.
        damage: what FFmpeg says of damage.
        is_whole: whether the digests are those of all frames.
    """

    digests: list[bytes] = field(default_factory=list)
    sizes: set[tuple[int, ...]] = field(default_factory=set)
    first: Pictures | None = None
    damage: str = ""
    is_whole: bool = True


def judge(path: Path) -> Verdict:
    """Compare the frames of one video."""
    refusal, reference = "", Reference()
    try:
        reference = _reference(path)
    except (av.error.FFmpegError, ValueError) as error:
        refusal = f"FFmpeg: {error}"
    if not reference.digests:
        refusal = refusal or reference.damage or "FFmpeg decodes no frame"
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, path.name)  # so that no index is left beside the file
        shutil.copyfile(path, copy)
        try:
            difference = _difference(copy, reference)
        except PenstockError as error:
            return _refused(str(error), refusal or reference.damage)
    if refusal:
        return Verdict(Kind.DIFFERS, f"{refusal}, but Penstock decodes it")
    return Verdict(Kind.DIFFERS, difference) if difference else Verdict(Kind.AGREE)


def _refused(own: str, others: str) -> Verdict:
    if others:
        return Verdict(Kind.REFUSED_BY_ALL, f"{own} | {others}")
    return Verdict(Kind.REFUSED_THOUGH_WHOLE, own)


def _reference(path: Path) -> Reference:
    reference, maker = Reference(), PictureMaker("RGB")
    pixels = 0
    with av.open(str(path), metadata_errors="replace") as container:
        stream = container.streams.best("video")
        if stream is None or stream.codec_context is None:
            return Reference(damage="FFmpeg finds no video stream")
        stream.thread_type = "NONE"
        for packet in container.demux(stream):
            try:
                frames: list[Any] = packet.decode()
            except av.error.FFmpegError as error:
                reference.damage = f"FFmpeg: {error}"
                continue
            for frame in frames:
                if frame.is_corrupt:
                    reference.damage = "FFmpeg marks a frame as corrupt"
                picture = maker.picture(frame)
                if reference.first is None:
                    reference.first = _by_ffmpeg(frame)
                reference.digests.append(_digest(picture))
                reference.sizes.add(picture.shape)
                pixels += picture.size // 3
            if pixels > MOST_PIXELS:
                reference.is_whole = False
                break
    return reference


def _by_ffmpeg(frame: Any) -> Pictures:
    turned = np.rot90(frame.to_ndarray(format="rgb24"), round(frame.rotation / 90) % 4)
    return np.asarray(turned, np.uint8)


def _difference(path: Path, reference: Reference) -> str:
    """Return how Penstock's frames differ from FFmpeg's, or ""."""
    length = 1 if len(reference.sizes) > 1 else 4
    passes = (("in order, 1 thread", 1, False), ("in order, 4 threads", 4, False))
    randoms = (("at random, 1 thread", 1, True), ("at random, 4 threads", 4, True))
    for name, threads, at_random in (*passes, *randoms):
        problem = _problem_of_pass(path, reference, length, threads, at_random)
        if problem:
            return f"{name}: {problem}"
    return _problem_of_bytes(path, reference)


def _problem_of_pass(
    path: Path, reference: Reference, length: int, threads: int, at_random: bool
) -> str:
    with Pipeline(1, num_threads=threads, seed=7) as pipe:
        clip, numbers = fn.readers.video(
            filenames=[str(path)],
            sequence_length=length,
            pad_sequences=True,
            enable_frame_num="sequence",
            random_shuffle=at_random,
            name="clips",
        )
        pipe.set_outputs(clip, numbers)
        clips = pipe.epoch_size("clips")
        last = -1
        for _ in range(min(clips, _MOST_CLIPS) if at_random else clips):
            frames, own = (np.array(output.at(0)) for output in pipe.run())
            problem = _problem_of_frames(frames, own, reference)
            if problem:
                return problem
            last = max(last, int(own.max()))
            if not reference.is_whole and not at_random and last >= len(reference.digests):
                return ""
    if not at_random and last + 1 != len(reference.digests):
        return f"{last + 1} frames; FFmpeg: {len(reference.digests)}"
    return ""


def _problem_of_bytes(path: Path, reference: Reference) -> str:
    count = len(reference.digests)
    numbers = np.random.default_rng(7).permutation(count)[:16]
    encoded = np.fromfile(path, np.uint8)
    groups = [[int(number)] for number in numbers] if len(reference.sizes) > 1 else None
    eights = [sorted(numbers[at : at + 8].tolist()) for at in range(0, len(numbers), 8)]
    for own in groups or eights:
        with Pipeline(1, num_threads=1, prefetch_queue_depth=1) as pipe:
            source = fn.external_source(source=lambda: [encoded])
            pipe.set_outputs(fn.decoders.video(source, frames=own))
            frames = np.array(pipe.run()[0].at(0))
        problem = _problem_of_frames(frames, np.array(own), reference)
        if problem:
            return f"out of bytes: {problem}"
    return ""


def _problem_of_frames(frames: Pictures, numbers: NDArray[Any], reference: Reference) -> str:
    for number, picture in zip(numbers.tolist(), frames, strict=True):
        if number < 0:
            continue
        if number >= len(reference.digests):
            return f"frame {number} is none of FFmpeg's" if reference.is_whole else ""
        digest = _digest(picture)
        if digest != reference.digests[number]:
            others = [i for i, each in enumerate(reference.digests) if each == digest]
            is_of = f"it is FFmpeg's frame {others[0]}" if others else "it is none of FFmpeg's"
            return f"frame {number} differs; {is_of}"
        if number == 0 and reference.first is not None:
            difference = np.median(np.abs(picture.astype(int) - reference.first))
            if difference > _LARGEST_DIFFERENCE:
                return f"the colors of frame 0 differ by {difference:.1f} in the median"
    return ""


def _digest(picture: Pictures) -> bytes:
    return hashlib.blake2b(np.ascontiguousarray(picture).tobytes(), digest_size=16).digest()
