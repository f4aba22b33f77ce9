"""Sizes as torchvision draws them."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

import numpy as np
import pytest

from penstock.testing.operators import RandomConformance

from ...torchvision_library import load_torchvision
from ..running import RubbishWorkspace, make

EXTENTS = [np.array([60 + i, 90 - 20 * i, 3]) for i in range(3)]
DRAWS = 4000


class TestJitter(RandomConformance):
    operator = "_vision_size"
    layout = ""
    inputs = (EXTENTS,)
    arguments = {"kind": "jitter", "size": (70, 50)}


class TestShortest(RandomConformance):
    operator = "_vision_size"
    layout = ""
    inputs = (EXTENTS,)
    arguments = {"kind": "shortest", "size": (30, 40, 50, 60, 70), "max_size": 80}


class TestBetween(RandomConformance):
    operator = "_vision_size"
    layout = ""
    inputs = (EXTENTS,)
    arguments = {"kind": "between", "size": (20, 70)}


SAME = {
    "jitter": ({"size": (70, 50)}, lambda v2: v2.ScaleJitter((70, 50))),
    "shortest": (
        {"size": (30, 41, 53), "max_size": 70},
        lambda v2: v2.RandomShortestSize([30, 41, 53], max_size=70),
    ),
    "between": ({"size": (20, 70)}, lambda v2: v2.RandomResize(20, 70)),
}


@pytest.mark.parametrize(("kind", "arguments", "transform"), [(k, *v) for k, v in SAME.items()])
def test_sizes_are_distributed_as_by_torchvision(kind, arguments, transform):
    load_torchvision()
    import torch
    from torchvision.transforms import v2

    torch.manual_seed(5)
    image, made = torch.zeros(3, 61, 87), transform(v2)
    theirs = np.array([sum(made.make_params([image])["size"]) for _ in range(DRAWS)])
    operator = make("_vision_size", kind=kind, **arguments)
    rng, workspace = np.random.default_rng(3), RubbishWorkspace()
    ours = []
    for _ in range(DRAWS):
        workspace.random = rng.random(operator.random_count)
        size = operator.sample(workspace, np.array([61, 87, 3]))
        ours.append(size.min() if kind == "between" else size.sum())
    places = np.unique([*ours, *theirs])
    below = (np.searchsorted(np.sort(sizes), places, "right") / DRAWS for sizes in (ours, theirs))
    assert np.abs(np.subtract(*below)).max() < 0.05
