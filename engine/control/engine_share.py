"""The share of a GPU's JPEG engine in the files of batches; CUDA cores decode the others.

The engine decodes what it can, because it takes nothing from other work on the GPU. CUDA cores
decode more files from batch to batch where the engine limits a pipeline, and where lanes do: a lane
waits for the engine, and not for CUDA cores. They decode fewer files again if lanes wait for
batches, or if the consumer does not wait for the pipeline. So their share follows the rates of
both, and of all else that limits the pipeline.

A model whose steps are launched ahead of the GPU waits for batches, too, while the GPU still has
work. So the help grows with the square of the part of the time that the consumer waits: fast for a
consumer that only waits, and hardly for one that trains.

Where a process has few connections to the device, streams of the engine share one with the model's,
and wait for the model's work. CUDA cores then decode nearly all at once, if the consumer waits.

Training on photographs of many sizes on an H100, batches of 256, images a second: 20,400 if CUDA
cores help until the engine is busy for 60 to 75% of the time, 24,700 if they help to the most
(medians of 4 runs, 19,500 to 23,800 and 18,900 to 29,400).
"""

from __future__ import annotations

from typing import NamedTuple


class ShareLimits(NamedTuple):
    """The numbers of the rule.

    Attributes:
        busy: parts of the time that the engine is busy: below the first the help may shrink, above
            the second it grows.
        starved: parts of the time that lanes wait for batches: below the first the help grows,
            above the second it may shrink.
        trains: the help shrinks for a consumer that waits for a smaller part of the time. A model
            that trains at its full rate loses what CUDA cores decode: 256 photographs take them
            5 ms of an H200.
        step: part of the files by which the help grows or shrinks with a batch.
        held_up: the engine's rate, as a part of its highest one, below which others hold it up.
        judged_bytes: bytes of pixels in a call whose rate is judged: few files do not use all parts
            of the engine.
        newest: weight of the newest batch in the running means of engine and lanes.
        newest_wait: the same of the consumer's: one that trains waits for some batches, and not for
            others.
    """

    busy: tuple[float, float] = (0.6, 0.75)
    starved: tuple[float, float] = (0.15, 0.3)
    trains: float = 0.05
    step: float = 0.03
    held_up: float = 1 / 3
    judged_bytes: int = 16 << 20
    newest: float = 0.3
    newest_wait: float = 0.1


class EngineReading(NamedTuple):
    """A batch's calls of the engine.

    Attributes:
        nbytes: bytes of the pixels.
        seconds: seconds that the calls took.
        idle: seconds without work before them.
        starved: part of the time since the lane's call before in which the lane waited for batches.
        waiting: part of the time in which the consumer waited: see `Readings`.
    """

    nbytes: int
    seconds: float
    idle: float
    starved: float
    waiting: float


class Share(NamedTuple):
    """The setting, and what the rule remembers.

    Attributes:
        help: part of the files that CUDA cores decode.
        busy, starved, waiting: running means of the parts of the time that the engine decodes, that
            lanes wait for batches, and that the consumer waits.
        highest: the engine's highest rate, in bytes of pixels a second.
    """

    help: float = 0.0
    busy: float = 0.0
    starved: float = 1.0
    waiting: float = 0.0
    highest: float = 0.0


def decide(share: Share, reading: EngineReading, limits: ShareLimits) -> Share:
    """Return the share after a batch, for those to come."""
    busy = reading.seconds / (reading.seconds + reading.idle)
    busy = share.busy + limits.newest * (busy - share.busy)
    starved = share.starved + limits.newest * (reading.starved - share.starved)
    waiting = share.waiting + limits.newest_wait * (reading.waiting - share.waiting)
    highest, rate = share.highest, reading.nbytes / reading.seconds
    is_held_up = False
    if reading.nbytes >= limits.judged_bytes:
        highest = max(highest, rate)
        is_held_up = rate < limits.held_up * highest
    most, help_ = 1 - limits.step, share.help
    if waiting < limits.trains or (busy < limits.busy[0] and starved > limits.starved[1]):
        help_ = max(help_ - limits.step, 0.0)
    elif is_held_up:
        help_ = most
    elif busy > limits.busy[1] or starved < limits.starved[0]:
        help_ = min(help_ + limits.step * waiting**2, most)
    return Share(help_, busy, starved, waiting, highest)
