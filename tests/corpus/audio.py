"""Judge audio: whole files with libsndfile and FFmpeg, windows with the whole file."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path

import av
import numpy as np
import soundfile
from numpy.typing import NDArray

from penstock import Pipeline, fn
from penstock.decoders.errors import FETCH_AGAIN

from .verdicts import Kind, Verdict

Signal = NDArray[np.float32]

_WINDOWS = 20
_CLOSE = 1e-6  # of full scale: two sums of the same float32 numbers in other orders
_SAME_SOUND = 2e-3  # of full scale: two decoders of one lossy format
_MP3_FRAME = 1152  # samples
_OPUS_WINDOW = 2e-2  # of full scale: Opus decoders that start in the middle have another state


def judge(path: Path) -> Verdict:
    """Decode a file whole and in windows, and compare."""
    try:
        ours, rate = _ours(path, [(0.0, -1.0)])[0]
    except Exception as error:
        return _refusal(path, str(error))
    difference = _of_whole(path, ours, rate)
    if difference:
        reason = _convention(path, ours, rate)
        return Verdict(Kind.BY_CONVENTION, reason) if reason else Verdict(Kind.DIFFERS, difference)
    difference = _of_windows(path, ours, rate)
    return Verdict(Kind.DIFFERS, difference) if difference else Verdict(Kind.AGREE)


def _ours(path: Path, windows: list[tuple[float, float]]) -> list[tuple[Signal, float]]:
    """Decode windows, in seconds, of one file with a pipeline."""
    with Pipeline(batch_size=len(windows), num_threads=1, prefetch_queue_depth=1) as pipe:
        encoded = fn.readers.file(files=[str(path)] * len(windows))[0]
        offset, duration = fn.external_source(
            source=lambda _: (
                [np.float32(start) for start, _ in windows],
                [np.float32(length) for _, length in windows],
            ),
            num_outputs=2,
        )
        pipe.set_outputs(*fn.decoders.audio(encoded, offset=offset, duration=duration))
    try:
        signals, rates = pipe.run()
        return [
            (np.array(signals.at(row)), float(np.asarray(rates.at(row))))
            for row in range(len(windows))
        ]
    finally:
        pipe.close()


def _refusal(path: Path, message: str) -> Verdict:
    """Judge a refusal: by whether another library reads the file."""
    readable = [
        name for name, read in (("libsndfile", _sndfile), ("FFmpeg", _ffmpeg)) if read(path)
    ]
    if not readable:
        return Verdict(Kind.REFUSED_BY_ALL, message)
    if FETCH_AGAIN not in message:
        return Verdict(Kind.REFUSED_WITH_REASON, message)
    if _is_cut(path.read_bytes()):
        return Verdict(Kind.REFUSED_BY_ALL, f"cut off: {message}")
    return Verdict(Kind.REFUSED_THOUGH_WHOLE, f"{' and '.join(readable)} read it: {message}")


def _of_whole(path: Path, ours: Signal, rate: float) -> str:
    """Return how a whole file differs from both judges; "" if it is equal to one of them."""
    differences = []
    for name, read, tolerance in (
        ("libsndfile", _sndfile, _CLOSE),
        ("FFmpeg", _ffmpeg, _SAME_SOUND),
    ):
        theirs = read(path)
        if theirs is None:
            continue
        signal, their_rate = theirs
        if their_rate != rate or signal.shape != ours.shape:
            differences.append(
                f"{name} has shape {signal.shape} at {their_rate:g} Hz, not {ours.shape} at "
                f"{rate:g} Hz"
            )
            continue
        distance = float(np.abs(signal - ours).max(initial=0))
        if distance <= tolerance:
            return ""
        differences.append(f"{name} differs by {distance:g} of full scale")
    return "; ".join(differences) or "no judge reads the file"


def _convention(path: Path, ours: Signal, rate: float) -> str:
    """Return the reason why this file may differ; "" if there is none."""
    theirs = _ffmpeg(path)
    if path.suffix.lower() == ".mp3" and theirs is not None and theirs[1] == rate:
        for shift in (0, _MP3_FRAME):
            length = min(len(ours) - shift, len(theirs[0]))
            distance = np.abs(ours[shift : shift + length] - theirs[0][:length]).max(initial=0)
            if distance <= _SAME_SOUND and abs(len(ours) - len(theirs[0])) <= _MP3_FRAME:
                return "the first frame has no sound, or the last frame is cut"
    return ""


def _of_windows(path: Path, whole: Signal, rate: float) -> str:
    """Return how random windows differ from the whole file; "" if they are equal."""
    length = len(whole)
    if not length:
        return ""
    random = np.random.default_rng(zlib.crc32(path.name.encode()))
    # Half of the windows start near the end, where the last pages and frames lie.
    starts = np.concatenate(
        [
            random.integers(0, length, _WINDOWS // 2),
            length - 1 - random.integers(0, min(length, 12000), _WINDOWS // 2),
        ]
    )
    counts = np.minimum(random.integers(1, 4000, _WINDOWS), length - starts)
    half = 0.5  # of a sample, so that rounding down finds the sample meant
    windows = [
        ((start + half) / rate, (count + half) / rate)
        for start, count in zip(starts.tolist(), counts.tolist(), strict=True)
    ]
    tolerance = _OPUS_WINDOW if _is_opus(path) else _CLOSE
    for start, count, (window, _) in zip(starts, counts, _ours(path, windows), strict=True):
        expected = whole[start : start + count]
        if window.shape != expected.shape:
            return f"the window at {start} has shape {window.shape}, not {expected.shape}"
        distance = float(np.abs(window - expected).max())
        if distance > tolerance:
            return f"the window of {count} samples at {start} of {length} differs by {distance:g}"
    return ""


def _sndfile(path: Path) -> tuple[Signal, float] | None:
    """Decode with libsndfile in order; None if it cannot."""
    try:
        with soundfile.SoundFile(path) as file:
            blocks = [np.empty((0, file.channels), np.float32)]
            while len(block := file.read(1 << 16, dtype="float32", always_2d=True)):
                blocks.append(block)
            return np.concatenate(blocks), float(file.samplerate)
    except (soundfile.LibsndfileError, RuntimeError):
        return None


def _ffmpeg(path: Path) -> tuple[Signal, float] | None:
    """Decode with FFmpeg in order; None if it cannot."""
    try:
        with av.open(str(path), metadata_errors="replace") as container:
            stream = container.streams.audio[0]
            rate = stream.codec_context.sample_rate
            blocks = list(_ffmpeg_blocks(container, stream))
    except (av.FFmpegError, IndexError, ValueError, AttributeError):  # AttributeError: no decoder
        return None
    return (np.concatenate(blocks), float(rate)) if blocks else None


def _ffmpeg_blocks(
    container: av.container.InputContainer, stream: av.AudioStream
) -> Iterator[Signal]:
    for frame in container.decode(stream):
        block = frame.to_ndarray()
        block = block.T if frame.format.is_planar else block.reshape(frame.samples, -1)
        if block.dtype.kind == "u":
            yield ((block.astype(np.float64) - 128) / 128).astype(np.float32)
        elif block.dtype.kind == "i":
            yield (block / -float(np.iinfo(block.dtype).min)).astype(np.float32)
        else:
            yield block.astype(np.float32)


def _is_opus(path: Path) -> bool:
    with path.open("rb") as file:
        return b"OpusHead" in file.read(64)


def _is_cut(data: bytes) -> bool:
    """Return whether the samples of a WAV file end before its header says."""
    at = data.find(b"data", 12)
    if data[:4] != b"RIFF" or at < 0:
        return False
    size = int.from_bytes(data[at + 4 : at + 8], "little")
    return at + 8 + size > len(data) and size < 0x7FFF0000
