"""Speech on the GPU, beside NVIDIA DALI and libsndfile: from FLAC files to signals and log-mels.

DALI decodes on the CPU, copies the signals, and computes the features on the GPU. "libsndfile"
decodes files in memory, with one Python thread a core. A figure is hours of sound a second. The
files are the 12 s of `audio.py`, in the page cache.

    python benchmarks/audio_gpu.py [--json FILE] [--rounds 3] [--threads N] [--batch 64 256]
"""

from __future__ import annotations

import argparse
import io
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from penstock.benchmarks import common
from penstock.benchmarks.audio import SECONDS, as_it_is, files, log_mels, utterances
from penstock.benchmarks.looking import Looked
from penstock.benchmarks.training_cpu import Library, load, load_dali, watch
from penstock.engine.machine import usable_cores

_WARM_UP_SECONDS, _SECONDS = 2.0, 2.5


def signals(library: Library, folder: str) -> Any:
    """Return the signals in device memory."""
    fn, types = library.fn, library.types
    encoded, _ = fn.readers.file(files=files(folder, "flac"))
    options = {"downmix": True, "dtype": types.FLOAT}
    if library.name == "penstock":
        return fn.decoders.audio(encoded, device="mixed", **options)[0]
    return fn.decoders.audio(encoded, **options)[0].gpu()


@cache
def featured(features: Callable[..., Any]) -> Callable[[Library, str], Any]:
    """Return the graph of features, which is the same object in each turn."""
    return lambda library, folder: features(library, signals(library, folder))


def hours(
    library: Library, features: Callable[..., Any], folder: str, batch: int, threads: int
) -> Looked:
    """Return the hours of sound that a pipeline takes a second, after a warm-up."""

    watched = watch(
        library, featured(features), folder, batch_size=batch, num_threads=threads, device_id=0
    )
    common.run_for(watched.run, _WARM_UP_SECONDS)
    started = time.perf_counter()
    batches = common.run_for(watched.run, _SECONDS)
    seconds = time.perf_counter() - started
    return watched.looked(batches * batch * SECONDS / 3600 / seconds)


def libsndfile_hours(folder: str, threads: int) -> float:
    """Return the hours of sound that libsndfile decodes a second from memory."""
    import soundfile

    contents = [Path(path).read_bytes() for path in files(folder, "flac")]

    def decode(content: bytes) -> None:
        soundfile.read(io.BytesIO(content), dtype="float32")

    with ThreadPoolExecutor(max_workers=threads) as team:
        list(team.map(decode, contents))
        count, started = 0, time.perf_counter()
        while time.perf_counter() - started < _SECONDS:
            count += len(list(team.map(decode, islice(cycle(contents), 16 * threads))))
        seconds = time.perf_counter() - started
    return count * SECONDS / 3600 / seconds


def measurements(options: argparse.Namespace) -> dict[str, tuple[str, Any, Any]]:
    """Return unit, Penstock's turn and the other's turn by name."""
    ours, theirs, folder = load("penstock"), load_dali(), str(utterances())
    todo: dict[str, tuple[str, Any, Any]] = {}
    for batch in options.batch:
        for name, features in (("log-mels", log_mels), ("signals", as_it_is)):
            turn = partial(
                hours, features=features, folder=folder, batch=batch, threads=options.threads
            )
            other = None if theirs is None else partial(turn, theirs)
            todo[f"FLAC to {name}, batch {batch}"] = "hours/s", partial(turn, ours), other
        decode = partial(hours, ours, as_it_is, folder, batch, options.threads)
        alone = partial(libsndfile_hours, folder, options.threads)
        todo[f"decoding beside libsndfile, batch {batch}"] = "hours/s", decode, alone
    return todo


def main() -> int:
    """The command line."""
    parser = common.command_line(__doc__, rounds=3)
    parser.add_argument("--batch", type=int, nargs="+", default=[64, 256], help="utterances")
    parser.add_argument("--threads", type=int, default=usable_cores(), help="of all libraries")
    return common.main(parser, measurements)


if __name__ == "__main__":
    sys.exit(main())
