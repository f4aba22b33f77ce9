"""`penstock tune`: the fastest setting of a pipeline."""

from __future__ import annotations

import gc
import json
import math
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from inspect import signature
from time import perf_counter
from typing import Annotated, Any

import typer

from ..engine.machine import usable_cores
from ..engine.pipeline.definition import decorator_options
from ..engine.pipeline.pipeline import Pipeline
from ..engine.run.config import PipelineConfig
from .benchmark.advice import CLEAR, Setting, advised, as_arguments
from .benchmark.measure import measure
from .benchmark.others import OtherPrograms, busy_machine, is_busy, look_first
from .benchmark.search import Search, Trial, choices_of, enough_turns
from .benchmark.turns import Comparison, compare
from .commands import BATCH_SIZE, AsJson, CommandFailed, PipelineArguments, between, message_of
from .console import Printer
from .progress import ProgressBar
from .target import PipelineTarget, defined, definition_of, parse_arguments, parse_target, running

EXAMPLES = (
    "penstock tune train.py:training --arg folder=photos/train",
    "penstock tune train.py:training --minutes 10 --try num_threads=[8,12,16]",
    "penstock tune train.py:training --try load=[0.5,0.7,0.9]  # load: for hw_decoder_load",
)

_WARM_BATCHES = 4
_TURNS = 120  # about; a turn lasts as long as that many fit into the time
_SEARCH = 0.75  # of the time; the rest compares the winner with the pipeline as it is
_LONGEST_TURN = 2.0
_MARGIN = 1.2  # more time than was given, before people are told
_SHOWN = 8  # settings that people see; JSON has all
_DEFAULTS = {
    name: parameter.default for name, parameter in signature(PipelineConfig).parameters.items()
}


@dataclass(frozen=True)
class _Tuned:
    """The result: the setting, and how it compares with the pipeline as it is, if that runs.

    `noise` is that of `Search`; `other_cores` is how many cores other programs used meanwhile.
    """

    setting: Setting
    comparison: Comparison | None
    trials: Sequence[Trial]
    noise: float
    seconds: float
    other_cores: float

    @property
    def advised(self) -> Setting:
        """The setting to advise, which is {} beside other programs."""
        return advised(self.setting, self.comparison, self.other_cores)

    @property
    def turns(self) -> int:
        """Turns of all settings."""
        return sum(len(each.rates) for each in self.trials)

    @property
    def enough_minutes(self) -> float:
        """How long a search takes that has enough turns for this noise."""
        return self.seconds / 60 * enough_turns(self.noise) / max(1, self.turns)


def tune(
    target: Annotated[
        str,
        typer.Argument(
            metavar="PIPELINE",
            help="A pipeline as FILE.py:NAME or MODULE:NAME. NAME is a function with the decorator "
            "@pipeline_def.",
        ),
    ],
    arg: PipelineArguments = None,
    try_: Annotated[
        list[str] | None,
        typer.Option(
            "--try",
            metavar="NAME=[VALUE,...]",
            help="Values to try of an argument of pipelines, or of the pipeline's function; "
            "repeatable.",
        ),
    ] = None,
    minutes: Annotated[
        float,
        typer.Option(metavar="MINUTES", parser=between(0.01, 1440.0), help="How long to search."),
    ] = 3.0,
    as_json: AsJson = False,
) -> int:
    """Search for the fastest setting of a pipeline, and print it as arguments to copy.

    The search tries the number of workers, threads and processes, the batches that are prepared
    ahead, the Python workers of sources with parallel=True, and the values of --try. Settings are
    measured by turns, the slower half leaves again and again, and the winner is compared with
    the pipeline as it is. A setting with which the pipeline fails is reported. So is noise that
    asks for more time.
    """
    parsed = parse_target(target)
    if not isinstance(parsed, PipelineTarget):
        raise CommandFailed(
            f"{target} is data on disk; tune takes a pipeline as FILE.py:NAME or MODULE:NAME", 2
        )
    tried = _tried(try_ or [])
    look_first()
    with ProgressBar(sys.stderr, "tuning") as bar:
        tuned = _tune(parsed, parse_arguments(arg or []), tried, 60 * minutes, bar)
    if as_json:
        print(json.dumps(_as_content(target, tuned), indent=2))
    else:
        _print(Printer(sys.stdout), target, tuned)
    return 0


def _tried(texts: Sequence[str]) -> dict[str, list[Any]]:
    tried = parse_arguments(texts, option="--try")
    for name, values in tried.items():
        if not isinstance(values, list | tuple) or not values:
            raise CommandFailed(f"--try {name}: expected a list of values, as in {name}=[1,2]", 2)
    return {name: list(values) for name, values in tried.items()}


def _tune(
    target: PipelineTarget,
    arguments: dict[str, object],
    tried: dict[str, list[Any]],
    seconds: float,
    bar: ProgressBar,
) -> _Tuned:
    started, others = perf_counter(), OtherPrograms()
    definition = definition_of(target)
    if isinstance(definition, Pipeline):
        raise CommandFailed(
            f"{target} is a Pipeline, which has its arguments already; tune takes a function with "
            "the decorator @pipeline_def",
            2,
        )

    def opened(setting: Setting) -> Pipeline:
        options = {name: value for name, value in setting.items() if name in _DEFAULTS}
        own = {name: value for name, value in setting.items() if name not in _DEFAULTS}
        return defined(target, definition, {**arguments, **own}, options, BATCH_SIZE)

    def tick(text: str) -> None:
        bar.update(int(perf_counter() - started), int(seconds), 0, text)

    def turn(setting: Setting) -> float:
        gc.collect()  # ends the threads of the pipeline before
        text = as_arguments(setting) or "as it is"
        depth = setting.get("prefetch_queue_depth")
        # A deep queue that was full at the start would count batches from before the turn.
        warm = max(_WARM_BATCHES, 2 * depth) if isinstance(depth, int) else _WARM_BATCHES
        with running(target):
            return measure(partial(opened, setting), length, lambda _: tick(text), warm).steady

    length = min(_LONGEST_TURN, seconds / _TURNS)
    search = Search(turn)
    # Names of --try and of --arg that are wrong end the command here.
    with opened({name: values[0] for name, values in tried.items()}) as pipeline, running(target):
        nodes = pipeline.graph_facts().nodes
        has_python_workers = any(node.operator.python_callee() for node in nodes)
    choices = choices_of(
        usable_cores(),
        tried,
        present=_DEFAULTS | arguments | (decorator_options(definition) or {}),
        has_python_workers=has_python_workers,
    )
    best = search.fastest(choices, _SEARCH * seconds)
    comparison = None
    if best and not any(trial.setting == {} for trial in search.failures):
        left = max(length, started + seconds - perf_counter())
        with running(target):
            comparison = compare(partial(opened, best), partial(opened, {}), left / 2.4, tick)
        best = best if comparison.ratio > CLEAR else {}
    seconds = perf_counter() - started
    return _Tuned(best, comparison, search.trials, search.noise, seconds, others.cores())


def _as_content(target: str, tuned: _Tuned) -> dict[str, object]:
    content: dict[str, Any] = {
        "target": target,
        "setting": tuned.setting,
        "seconds": tuned.seconds,
        "noise": tuned.noise,
        "enough_minutes": tuned.enough_minutes,
        "other_cores": tuned.other_cores,
        "advised": tuned.advised,
        "trials": [
            {
                "setting": trial.setting,
                "samples_per_s": trial.rate,
                "turns": len(trial.rates),
                "error": message_of(trial.error) if trial.error else None,
            }
            for trial in tuned.trials
        ],
    }
    if tuned.comparison is not None:
        figures = asdict(tuned.comparison)
        names = {"ours": "samples_per_s", "theirs": "samples_per_s_as_it_is"}
        content["comparison"] = {
            names.get(name, name): figures[name]
            for name in ("ours", "theirs", "ratio", "lowest", "highest")
        }
    return content


def _print(printer: Printer, target: str, tuned: _Tuned) -> None:
    ran = sorted((trial for trial in tuned.trials if trial.rates), key=lambda trial: -trial.rate)
    printer.print(
        (target, "bold"),
        f"  {len(tuned.trials):,} settings in {tuned.seconds:.0f} s, {usable_cores()} cores",
    )
    rows = [
        (as_arguments(trial.setting) or "as it is", f"{trial.rate:,.0f}", f"{len(trial.rates)}")
        for trial in ran[:_SHOWN]
    ]
    printer.table(("setting", "samples/s", "turns"), rows, words=1)
    if len(ran) > _SHOWN:
        printer.print((f"... {len(ran):,} settings in all; --json lists them", "dim"))
    for trial in tuned.trials:
        if trial.error is not None:
            text = as_arguments(trial.setting) or "as it is"
            printer.print(("failed  ", "bold red"), f"{text}: {message_of(trial.error)}")
    if untried := sum(not trial.rates and trial.error is None for trial in tuned.trials):
        printer.print(f"no time for {untried:,} settings: give more --minutes")
    if tuned.turns and tuned.enough_minutes > _MARGIN * tuned.seconds / 60:
        printer.print(
            ("noise   ", "bold yellow"),
            f"{tuned.turns:,} turns, with differences of {tuned.noise:.0%} between those of one "
            "setting, may miss a setting that is 5% faster: give "
            f"--minutes {math.ceil(tuned.enough_minutes)}, or a machine that does nothing else",
        )
    if text := busy_machine(tuned.other_cores):
        printer.print(("busy    ", "bold yellow"), text)
    printer.print()
    _print_result(printer, tuned)


def _print_result(printer: Printer, tuned: _Tuned) -> None:
    faster = tuned.comparison
    if not tuned.setting:
        printer.print(
            ("keep    ", "bold"), "no setting is clearly faster than the pipeline as it is"
        )
        return
    name = "beside  " if is_busy(tuned.other_cores) else "setting "  # of other programs
    printer.print((name, "bold"), (as_arguments(tuned.setting), "bold green"))
    if faster is not None:
        printer.print(
            ("faster  ", "bold"),
            f"{faster.ratio:.2f} times ({faster.lowest:.2f} to {faster.highest:.2f} by turns): "
            f"{faster.ours:,.0f} samples/s, {faster.theirs:,.0f} as it is",
        )
