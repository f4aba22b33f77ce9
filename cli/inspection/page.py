"""The summary of a data set as a page for browsers: one file, without scripts."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from html import escape

from ...datasets import InspectReport
from ..console import size_text
from .text import described, label_rows, shard_count

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 1400px;
       padding: 0 1rem; color: #222; background: #fff }
h1 { font-size: 1.4rem; margin: 0; overflow-wrap: anywhere } h2 { font-size: 1.05rem }
p { color: #666; margin: .2rem 0 1rem } img { max-width: 100%; border-radius: 6px }
table { border-collapse: collapse } td, th { padding: .15rem 1.2rem .15rem 0; text-align: left }
td.number { text-align: right; font-variant-numeric: tabular-nums }
.bar { background: #2b7bba; height: .8rem; border-radius: 2px }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #1c1c1c } p { color: #999 } }
"""
_LABELS = 200


def as_html(report: InspectReport, sheet: bytes) -> str:
    """Return the page.

    Args:
        report: the summary.
        sheet: a contact sheet as PNG, which becomes a part of the page.
    """
    shards = shard_count(report)
    counts = [f"{report.format}", f"{report.samples:,} samples"]
    counts += [] if shards is None else [f"{shards:,} shards"]
    picture = base64.b64encode(sheet).decode()
    parts = [
        "<!doctype html>",
        f"<meta charset='utf-8'><title>{escape(report.path)}</title><style>{_STYLE}</style>",
        f"<h1>{escape(report.path)}</h1><p>{escape(', '.join(counts))}</p>",
        f"<img alt='contact sheet' src='data:image/png;base64,{picture}'>",
        "<h2>Components</h2>",
        _schema(report),
        "<h2>Size of a sample</h2>",
        f"<p>mean {size_text(report.mean_size)}, of {report.looked_at:,} samples</p>",
        _bars([(f"{percent}%", size, size_text(size)) for percent, size in report.sizes.items()]),
    ]
    if report.labels:
        rows = label_rows(report)
        parts.append(f"<h2>Labels ({len(rows):,})</h2>")
        parts.append(_bars([(name, count, f"{count:,}") for name, count in rows[:_LABELS]]))
    return "\n".join(parts) + "\n"


def _schema(report: InspectReport) -> str:
    values = report.sample.components if report.sample else {}
    rows = [
        (name, str(component), described(values[name]) if name in values else "")
        for name, component in report.schema.items()
    ]
    key = report.sample.key if report.sample else ""
    head = "".join(f"<th>{escape(text)}</th>" for text in ("component", "type", f"of {key}"))
    return f"<table><tr>{head}</tr>{''.join(map(_row, rows))}</table>"


def _row(cells: Iterable[str]) -> str:
    return f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"


def _bars(rows: Sequence[tuple[str, int, str]]) -> str:
    """Return a table of bars; a row has a name, a number, and the number as text."""
    most = max((number for _, number, _ in rows), default=0) or 1
    lines = (
        f"<tr><td>{escape(name)}</td><td class='number'>{escape(text)}</td><td>"
        f"<div class='bar' style='width:{360 * number / most:.0f}px'></div></td></tr>"
        for name, number, text in rows
    )
    return f"<table>{''.join(lines)}</table>"
