"""The report of `penstock bench`, as tables for people and as plain data."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from typing import Any

from ..commands import message_of
from ..console import Printer
from .advice import Tried, as_arguments
from .measure import Speed
from .others import busy_machine
from .turns import Comparison


@dataclass(frozen=True)
class Measurement:
    """What `penstock bench` has measured.

    Attributes:
        speed: of the pipeline as it is.
        comparison: with DALI, if that was asked for.
        tried: the setting that the limit names, if one was tried.
    """

    speed: Speed
    comparison: Comparison | None = None
    tried: Tried | None = None


def as_content(target: str, report: Measurement) -> dict[str, object]:
    """Return the report as plain data, for JSON."""
    speed, comparison, tried = report.speed, report.comparison, report.tried
    figures = speed.figures
    content: dict[str, Any] = {
        "target": target,
        "samples_per_s": speed.steady,
        "lowest": speed.lowest,
        "highest": speed.highest,
        "seconds": speed.seconds,
        "samples": speed.samples,
        "first_batch_s": speed.first_batch_s,
        "cold_samples_per_s": speed.cold,
        "other_cores": speed.other_cores,
        "limit": asdict(figures.limit),
        "decisions": {rule: made._asdict() for rule, made in figures.decisions.items()},
        "advised": tried.advised if tried else {},
        "stages": [asdict(stage) for stage in figures.stages()],
        "figures": asdict(figures),
    }
    if comparison is not None:
        content["dali"] = {k: v for k, v in asdict(comparison).items() if k != "speed"}
    return content


def print_report(target: str, report: Measurement) -> None:
    """Print speed, comparison, stages, operators and limit."""
    speed, comparison = report.speed, report.comparison
    printer, figures = Printer(sys.stdout), speed.figures
    printer.print(
        (target, "bold"), f"  {figures.num_threads} {figures.workers}, {figures.cores} cores"
    )
    _print_speed(printer, speed)
    if comparison is not None:
        _print_comparison(printer, comparison)
    if text := busy_machine(speed.other_cores):
        printer.print(("busy    ", "bold yellow"), text)
    printer.print()
    _print_times(printer, figures)
    printer.print()
    for rule, (setting, reading) in figures.decisions.items():
        printer.print((f"{rule:7} ", "bold"), f"{setting} ({reading})")
    limit, tried = figures.limit, report.tried
    printer.print(("limit   ", "bold"), (limit.name, "bold yellow"), f": {limit.cause}")
    if tried:
        _print_tried(printer, tried)
    remedies = limit.remedies[1:] if tried and not tried.advised else limit.remedies
    for number, remedy in enumerate(remedies):
        printer.print(("" if number else "lift it ", "bold"), " " * 8 * bool(number), remedy)


def _print_speed(printer: Printer, speed: Speed) -> None:
    printer.print(
        ("steady  ", "bold"),
        (f"{speed.steady:,.0f} samples/s", "bold green"),
        f"  ({speed.lowest:,.0f} to {speed.highest:,.0f} in {speed.seconds:.1f} s)",
    )
    printer.print(
        ("start   ", "bold"),
        f"{1e3 * speed.first_batch_s:,.0f} ms to the first batch, "
        f"{speed.cold:,.0f} samples/s with the warm-up",
    )


def _print_comparison(printer: Printer, comparison: Comparison) -> None:
    printer.print(
        ("DALI    ", "bold"),
        f"{comparison.theirs:,.0f} samples/s, Penstock {comparison.ours:,.0f}: ",
        (f"ratio {comparison.ratio:.2f}", "bold"),
        f"  ({comparison.lowest:.2f} to {comparison.highest:.2f} by turns)",
    )


def _print_tried(printer: Printer, tried: Tried) -> None:
    if (found := tried.comparison) is None:
        text = f"failed: {message_of(tried.error)}" if tried.error else ""
    else:
        text = (
            f"{found.ratio:.2f} times as fast ({found.lowest:.2f} to {found.highest:.2f} by turns)"
        )
    if other := busy_machine(tried.other_cores):
        text += f"; {other}"
    printer.print(("tried   ", "bold"), (as_arguments(tried.setting), "bold"), f": {text}")


def _print_times(printer: Printer, figures: Any) -> None:
    stages = [
        (stage.name, f"{stage.threads}", f"{stage.load:.0%}", _percent(stage.computing))
        for stage in figures.stages()
    ]
    printer.table(("stage", "threads", "busy", "computing"), stages, words=1)
    printer.print()
    operators = [
        (op.operator, op.stage, f"{op.per_sample_us:,.1f}", f"{op.busy_s:.2f}")
        for op in figures.operators
    ]
    printer.table(("operator", "stage", "us/sample", "busy s"), operators, words=2)


def _percent(fraction: float | None) -> str:
    return "-" if fraction is None else f"{fraction:.0%}"
