"""The report of `penstock doctor`, as a table for people and as JSON for programs."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import TextIO

from ...engine.printable import printable
from .examine import Report
from .finding import Finding, Status

_COLORS: dict[Status, str] = {"ok": "32", "limited": "33", "missing": "31", "broken": "31"}
_STATUS_WIDTH = max(map(len, _COLORS))


def report_as_json(report: Report) -> str:
    """Return the report as JSON; "works" tells whether pipelines for the device would work."""
    groups = {title: [asdict(row) for row in rows] for title, rows in report.groups.items()}
    content = {
        **report.about,
        "device": report.device,
        "works": not report.lacking,
        "lacking": list(report.lacking),
        "findings": groups,
        "path": report.path,
        "rates": [asdict(rate) for rate in report.rates],
        "not_measured": report.not_measured,
    }
    return json.dumps(content, indent=2)


def wants_color(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Return whether to color the text written to `stream`: see https://no-color.org."""
    return stream.isatty() and not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"


def as_text(report: Report, width: int, *, color: bool) -> str:
    """Return the verdict and a table `width` characters wide; commands are never wrapped."""
    lines = [_verdict(report), ", ".join(f"{name} {value}" for name, value in report.about.items())]
    indent = max(len(row.name) for rows in report.groups.values() for row in rows)
    for title, rows in report.groups.items():
        lines += ["", title]
        for row in rows:
            lines += _finding(row, indent, width, color=color)
    lines += ["", *map(printable, _rates(report, width))]
    return "\n".join(lines)


def _finding(row: Finding, name_width: int, width: int, *, color: bool) -> Iterable[str]:
    status = f"{row.status:{_STATUS_WIDTH}}"
    if color:
        status = f"\x1b[{_COLORS[row.status]}m{status}\x1b[0m"
    margin = " " * (_STATUS_WIDTH + name_width + 6)
    room = max(width - len(margin), 20)
    first, *rest = textwrap.wrap(printable(row.detail), room) or [""]
    yield f"  {status}  {row.name:{name_width}}  {first}".rstrip()
    yield from (margin + line for line in rest)
    if row.cost:
        yield from (margin + line for line in textwrap.wrap(f"costs: {row.cost}", room))
    if row.remedy:
        yield f"{margin}mend: {row.remedy}"


def _rates(report: Report, width: int) -> Iterable[str]:
    if report.not_measured:
        yield f"Reading {report.path} was not measured: {report.not_measured}"
        return
    ways = list(dict.fromkeys(rate.way for rate in report.rates))
    cells = {(rate.way, rate.cache): rate for rate in report.rates}
    title = f"Reading {report.path}, MB/s"
    first = max(map(len, [*ways, title]))
    yield f"{title:{first + 2}}  {'not cached':>10}  {'cached':>10}"
    remarks = []
    for way in ways:
        row = f"  {way:{first}}"
        for cache in ("cold", "warm"):
            rate = cells.get((way, cache))
            value = "" if rate is None or rate.mb_per_s is None else f"{rate.mb_per_s:,.0f}"
            row += f"  {value or '-':>10}"
            if rate and rate.remark:
                remarks.append((way, rate.remark))
        yield row
    for remark in dict.fromkeys(text for _, text in remarks):
        names = dict.fromkeys(way for way, text in remarks if text == remark)
        yield from textwrap.wrap(f"- {'; '.join(names)}: {remark}", width, subsequent_indent="  ")


def _verdict(report: Report) -> str:
    if not report.lacking:
        return f"device '{report.device}' works on this machine"
    return f"device '{report.device}' does not work on this machine: {', '.join(report.lacking)}"
