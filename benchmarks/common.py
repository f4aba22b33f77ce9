"""Parts of all benchmarks: photographs, turns of both libraries, the table and the record."""

from __future__ import annotations

import gc
import importlib.util
import json
import os
import platform
import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from penstock.benchmarks.looking import Looked
from penstock.tests.readers.processes import children

ROOT = Path(__file__).resolve().parent.parent
PHOTOS = ROOT / "fixtures" / "data" / "benchmark"
PEERS = ROOT / ".venv" / "peers"
"""Where `make peers` installs other loaders, each in an environment of its own."""
_LIBRARIES = ("numpy", "obstore", "opencv-python-headless", "simplejpeg", "nvidia-dali-cuda130")

Turn = Callable[[], float | Looked]
"""Does a piece of work once and returns its figure, such as images a second. Turns that count
samples also tell how many they have compared: see `looking.py`."""


@dataclass(frozen=True)
class Figure:
    """The figures of one piece of work.

    Attributes:
        name: the piece of work.
        unit: unit of the figures. For "s" less is better, for all other units more.
        ours: Penstock's figure, the median of the rounds.
        theirs: DALI's figure, or that of what the name tells; None without DALI.
        ratio: factor by which Penstock is better: the median of the ratios of single rounds,
            because both libraries see the same state of the machine in one round.
        lowest, highest: the extremes of these ratios.
        compared, wrong: samples of all turns that were compared with the same samples alone, and
            those that differ; see `looking.py`. None where no samples are counted.
    """

    name: str
    unit: str
    ours: float
    theirs: float | None = None
    ratio: float | None = None
    lowest: float | None = None
    highest: float | None = None
    compared: int | None = None
    wrong: int | None = None


def photographs(count: int, size: tuple[int, int] = (375, 500), quality: int = 96) -> Path:
    """Return class folders with `count` photographs of `size` (height, width).

    At the defaults, and at (750, 1000) and 70, a file has about 110 KB.
    """
    tree = generator().class_folder_tree(
        PHOTOS / f"{count}_{size[1]}x{size[0]}_{quality}",
        classes=8,
        per_class=-(-count // 8),
        size=size,
        quality=quality,
    )
    return Path(tree.root)


@cache
def generator() -> ModuleType:
    """Import the fixtures' generator, which is no part of the package."""
    spec = importlib.util.spec_from_file_location("generate", ROOT / "fixtures" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


Measurements = Mapping[str, tuple[str, Turn, Turn | None]]
"""Unit, Penstock's turn and the other library's turn, by name."""


def command_line(
    docstring: str | None, *, rounds: int | None = 5, only: bool = True
) -> ArgumentParser:
    """Return a parser of the arguments that all benchmarks have.

    Args:
        docstring: of the program; its first line describes the program.
        rounds: default of the argument; None for a program without it.
        only: whether measurements can be chosen by their names.
    """
    parser = ArgumentParser(description=(docstring or "").partition("\n")[0])
    if rounds is not None:
        parser.add_argument("--rounds", type=int, default=rounds, help="turns of each library")
    if only:
        parser.add_argument("--only", nargs="+", metavar="NAME", help="measure only these")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    return parser


def main(
    parser: ArgumentParser,
    offered: Callable[[Namespace], Measurements],
    other: str = "DALI",
    **settings: Any,
) -> int:
    """Run a benchmark: measure what the command line asks for, print it, and write the record.

    Args:
        parser: has the arguments of `command_line` and those of the program.
        offered: returns the measurements for the arguments.
        other: name of what Penstock is compared with.
        settings: for the record, beside the arguments.
    """
    options = parser.parse_args()
    figures = []
    for figure in measure(parser, options.only, offered(options), options.rounds, other):
        figures.append(figure)
        record(options, figures, other=other, **settings)  # a run that is cut keeps its figures
    return 0


def measure(
    parser: ArgumentParser,
    only: Sequence[str] | None,
    offered: Measurements,
    rounds: int,
    other: str = "DALI",
) -> Iterator[Figure]:
    """Measure and print the measurements in `only`, or all; the parser refuses unknown names."""
    unknown = set(only or ()) - set(offered)
    if unknown:
        parser.error(f"there is no {', '.join(sorted(unknown))}; there are: {'; '.join(offered)}")
    print_header(other)
    for name in only or offered:
        figure = alternate(name, *offered[name], rounds)
        print_figure(figure)
        yield figure


def alternate(name: str, unit: str, ours: Turn, theirs: Turn | None, rounds: int) -> Figure:
    """Let both libraries take turns, `rounds` times."""
    mine: list[float | Looked] = []
    others: list[float | Looked] = []
    for _ in range(rounds):
        for turn, figures in ((ours, mine), (theirs, others)):
            if turn is not None:
                gc.collect()  # ends threads of the previous turn's pipeline
                figures.append(turn())
    return figure_of(name, unit, mine, others)


def figure_of(
    name: str, unit: str, mine: Sequence[float | Looked], others: Sequence[float | Looked]
) -> Figure:
    """Return the figures of Penstock's turns and of the other's, if any, round by round."""
    looked = [turn for turn in (*mine, *others) if isinstance(turn, Looked)]
    figure = _figure_of(name, unit, list(map(_rate, mine)), list(map(_rate, others)))
    if not looked:
        return figure
    return replace(
        figure,
        compared=sum(turn.compared for turn in looked),
        wrong=sum(turn.wrong for turn in looked),
    )


def _rate(turn: float | Looked) -> float:
    return turn.figure if isinstance(turn, Looked) else turn


def _figure_of(name: str, unit: str, mine: Sequence[float], others: Sequence[float]) -> Figure:
    if not others:
        return Figure(name, unit, median(mine))
    pairs = list(zip(mine, others, strict=True))
    ratios = [b / a if unit == "s" else a / b for a, b in pairs]
    return Figure(
        name, unit, median(mine), median(others), median(ratios), min(ratios), max(ratios)
    )


def cpu_seconds() -> float:
    """Return the time that this process and its children computed, in all cores together."""
    ticks = 0
    for child in children():
        with suppress(OSError):  # it has ended meanwhile
            fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])  # in user and in system mode: proc(5)
    ended = sum(os.times()[2:4])
    return time.process_time() + ended + ticks / os.sysconf("SC_CLK_TCK")


def touch(samples: Any) -> int:
    """Read a byte of every page of a batch's samples, because maps are read only then."""
    return sum(int(np.asarray(samples.at(i))[::_PAGE].sum()) for i in range(len(samples)))


def copy_samples(samples: Any, memory: NDArray[np.uint8]) -> None:
    """Copy each sample of a batch to the beginning of `memory`, as a collating function does."""
    for i in range(len(samples)):
        sample = samples.at(i)
        target = memory[: sample.nbytes].view(sample.dtype).reshape(sample.shape)
        np.copyto(target, sample)


_PAGE = 4096
_WARM_UP_SECONDS, _SECONDS = 0.7, 1.5


def batches_a_second(run: Callable[[], object]) -> float:
    """Return how often `run`, which takes a batch from a pipeline, can be called in a second.

    `run` is called for a while before that, because new memory is slow.
    """
    run_for(run, _WARM_UP_SECONDS)
    started = time.perf_counter()
    count = run_for(run, _SECONDS)
    return count / (time.perf_counter() - started)


def run_for(run: Callable[[], object], seconds: float) -> int:
    """Call `run` for at least `seconds`, and at least once; return the number of calls."""
    deadline = time.perf_counter() + seconds
    count = 0
    while count == 0 or time.perf_counter() < deadline:
        run()
        count += 1
    return count


def print_header(other: str = "DALI") -> None:
    """Print the table's first line, with the name of what Penstock is compared with."""
    print(f"{'':26}{'Penstock':>12}{other:>12}  {'':10}{'ratio':>7}  (lowest to highest)")


def print_figure(figure: Figure) -> None:
    """Print one line of the table."""
    line = f"{figure.name:26}{_shown(figure.ours)}"
    if figure.theirs is None or figure.ratio is None:
        print(f"{line}{'-':>12}  {figure.unit:10}{seen(figure.compared, figure.wrong)}", flush=True)
        return
    spread = f"({figure.lowest:.2f} to {figure.highest:.2f}){seen(figure.compared, figure.wrong)}"
    print(
        f"{line}{_shown(figure.theirs)}  {figure.unit:10}{figure.ratio:7.2f}  {spread}", flush=True
    )


def seen(compared: int | None, wrong: int | None) -> str:
    """Return the end of a line about samples that were compared, if any were."""
    return "" if compared is None else f"  {wrong} of {compared} samples wrong"


def _shown(value: float) -> str:
    return f"{value:12.3f}" if value < 10 else f"{value:12.0f}"


_PATHS = ("json", "folder", "photographs", "kernels", "curve", "speech")
"""Arguments that are no settings, because they name files of one machine."""


def record(options: Namespace, figures: Sequence[Any], **settings: Any) -> None:
    """Write figures (dataclasses) to the file that the command line names, if any, as JSON.

    The record has the date, the hardware, the versions of libraries, and the settings: the
    arguments of the program, and those that are given.
    """
    if options.json is None:
        return
    arguments = {name: value for name, value in vars(options).items() if name not in _PATHS}
    content = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "hardware": hardware(),
        "versions": versions(),
        "settings": arguments | settings,
        "figures": [asdict(figure) for figure in figures],
    }
    options.json.write_text(json.dumps(content, indent=2, default=str) + "\n")


def hardware() -> dict[str, Any]:
    """Return the names of CPU and GPU, and the number of cores that this process may use."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text().splitlines()
        names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
        model = names[0] if names else model
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity else os.cpu_count()
    return {"cpu": model, "cores": cores} | _gpu()


def _gpu() -> dict[str, str]:
    """Return the name of the GPU, if CuPy and a driver are installed."""
    try:
        import cupy

        return {"gpu": cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()}
    except Exception:  # CuPy is missing, or raises errors of its own
        return {}


def versions() -> dict[str, str]:
    """Return the versions of Python, Penstock and the libraries that do the work."""
    import penstock

    known = {"python": sys.version.split()[0], "penstock": penstock.__version__}
    for name in _LIBRARIES:
        try:
            known[name] = version(name)
        except PackageNotFoundError:
            continue
    return known
