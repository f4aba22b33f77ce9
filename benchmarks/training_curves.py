"""Losses of networks that train from the GPU pipeline, the CPU pipeline and DALI's.

`training_loop.py --curve FILE.svg` trains a network of each seed from each loader, for as many
steps. All networks of a seed begin with the same weights. The drawing has the mean loss of each
loader, and the spread of its seeds, from the lowest to the highest. Different random windows and
orders make losses differ. So the mean of a loader should lie among the runs of the other loaders;
the drawing says at which part of the points it does.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray

from penstock.benchmarks import common, training_loaders, training_loop
from penstock.benchmarks.looking import Looked, Looks, checked
from penstock.benchmarks.natural_data import data_set
from penstock.benchmarks.training_cpu import load_dali

LOADERS = ("penstock", "penstock-cpu", "dali")
POINTS = 50
"""Points of a curve. Each is the mean of as many steps, because the loss of one batch jumps."""

COLORS = ("#1b6ca8", "#e07b00", "#3a8f3a", "#8a4fa3", "#777777", "#b03a3a")
_WIDTH, _HEIGHT, _LEFT, _TOP, _RIGHT, _BOTTOM = 720, 460, 60, 16, 16, 50


@dataclass(frozen=True)
class Curves:
    """The losses of one loader.

    Attributes:
        name: the loader.
        losses: of each seed, at each point.
        loss: mean of the seeds at the last point.
        within: part of the points at which the mean lies between the lowest and the highest run
            of the other loaders; None without other loaders.
        compared, wrong: samples that were compared with the same samples alone, and those that
            differ.
    """

    name: str
    losses: list[list[float]]
    loss: float
    within: float | None
    compared: int
    wrong: int


def draw_curves(options: argparse.Namespace) -> int:
    """Train, print a line for each loader, and write the drawing and the record."""
    folder = str(options.folder or data_set("natural", options.files, options.photographs))
    names = options.loaders or LOADERS
    names = [name for name in names if name != "dali" or load_dali() is not None]
    runs: dict[str, list[tuple[list[float], int, int]]] = {name: [] for name in names}
    for seed in range(1, options.seeds + 1):
        for name in names:
            print(f"{name}, seed {seed} ...", file=sys.stderr, flush=True)
            runs[name].append(losses_of(name, folder, options, seed))
    curves = summaries(runs)
    for curve in curves:
        print(f"{curve.name:20}{said(curve)}{common.seen(curve.compared, curve.wrong)}")
    options.curve.write_text(drawing(curves, options.steps))
    common.record(options, curves)
    return 0


def losses_of(
    name: str, folder: str, options: argparse.Namespace, seed: int
) -> tuple[list[float], int, int]:
    """Train a network; return its losses, and how many samples were compared and wrong."""
    import torch

    torch.manual_seed(seed)
    step = training_loop.make_step(options.models[0], "eager", options.batch, 0, 1)
    looks = Looks()
    with training_loaders.opened(name, folder, options, 0, seed) as source:
        batches = training_loaders.looked_at(source, looks)
        losses = [step(*next(batches)) for _ in range(options.steps)]
    found = torch.stack(losses).double().cpu().numpy()
    counts = training_loaders.compared(looks, name, folder, options, 0, seed)
    checked(Looked(options.steps, *counts, float(found.sum())), f"{name}, seed {seed}")
    return points(found).tolist(), *counts


def points(losses: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the means of consecutive steps, at most `POINTS`.

    >>> points(np.arange(200.0))[:3]
    array([1.5, 5.5, 9.5])
    """
    parts = np.array_split(losses, min(POINTS, len(losses)))
    return np.array([part.mean() for part in parts])


def summaries(runs: dict[str, list[tuple[list[float], int, int]]]) -> list[Curves]:
    """Return the curves of each loader, and where their means lie."""
    losses = {name: np.array([run[0] for run in found]) for name, found in runs.items()}
    curves = []
    for name, found in runs.items():
        others = [one for other, one in losses.items() if other != name]
        mean = losses[name].mean(axis=0)
        within = None
        if others:
            among = np.concatenate(others)
            inside = (among.min(axis=0) <= mean) & (mean <= among.max(axis=0))
            within = float(inside.mean())
        compared, wrong = sum(run[1] for run in found), sum(run[2] for run in found)
        curves.append(Curves(name, losses[name].tolist(), float(mean[-1]), within, compared, wrong))
    return curves


def said(curve: Curves) -> str:
    """Return what the drawing says of a loader."""
    text = f"loss {curve.loss:.3f} at the end"
    if curve.within is None:
        return text
    return f"{text}; the mean is among the others' runs at {curve.within:.0%} of the points"


def drawing(curves: Sequence[Curves], steps: int) -> str:
    """Return the curves as SVG: means as lines, spreads as areas, and a legend with the verdict."""
    runs = [np.array(curve.losses) for curve in curves]
    low, high = min(run.min() for run in runs), max(run.max() for run in runs)
    count = runs[0].shape[1]
    x = _LEFT + (np.arange(count) + 0.5) / count * (_WIDTH - _LEFT - _RIGHT)

    def y(losses: NDArray[np.float64]) -> NDArray[np.float64]:
        part: NDArray[np.float64] = (losses - low) / max(high - low, 1e-9)
        return _HEIGHT - _BOTTOM - part * (_HEIGHT - _BOTTOM - _TOP)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}">',
        "<style>text { font: 12px sans-serif }</style>",
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
    ]
    for value in np.linspace(low, high, 6):
        at = float(y(np.array(value)))
        parts.append(f'<path d="M{_LEFT},{at:.1f}H{_WIDTH - _RIGHT}" stroke="#dddddd"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{value:.2f}</text>')
    for part in np.linspace(0, 1, 6):
        at = _LEFT + float(part) * (_WIDTH - _LEFT - _RIGHT)
        parts.append(
            f'<text x="{at:.1f}" y="{_HEIGHT - _BOTTOM + 18}" text-anchor="middle">'
            f"{part * steps:.0f}</text>"
        )
    parts.append(
        f'<text x="{_WIDTH / 2}" y="{_HEIGHT - 10}" text-anchor="middle">steps; the vertical axis '
        "is the training loss</text>"
    )
    for number, (curve, run) in enumerate(zip(curves, runs, strict=True)):
        color = COLORS[number % len(COLORS)]
        upper, lower = _path(x, y(run.max(axis=0))), _path(x[::-1], y(run.min(axis=0))[::-1])
        parts.append(f'<path d="M{upper}L{lower}Z" fill="{color}" fill-opacity="0.15"/>')
        line = _path(x, y(run.mean(axis=0)))
        parts.append(f'<path d="M{line}" fill="none" stroke="{color}" stroke-width="1.5"/>')
        legend = escape(f"{curve.name}: {said(curve)}")
        parts.append(
            f'<text x="{_WIDTH - _RIGHT - 4}" y="{_TOP + 14 + 17 * number}" text-anchor="end" '
            f'fill="{color}">{legend}</text>'
        )
    return "\n".join([*parts, "</svg>\n"])


def _path(x: NDArray[np.float64], y: NDArray[np.float64]) -> str:
    return "L".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
