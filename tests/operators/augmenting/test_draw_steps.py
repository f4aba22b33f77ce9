"""`_draw_steps`: which augmentations a sample gets."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
import pytest
from scipy.stats import chisquare

from penstock.engine.errors import ArgumentError
from penstock.testing.agreement import on_device
from penstock.testing.operators import RandomConformance

TABLE = np.arange(1, 1 + 3 * 2 * 2 * 4).reshape(3, 2, 2, 4)
PROBABILITIES = np.float32([[1, 0.25], [0.5, 0.75], [0.9, 0]])


class TestDrawSteps(RandomConformance):
    operator = "_draw_steps"
    layout = ""
    inputs = ()
    arguments = MappingProxyType({"table": TABLE, "probabilities": PROBABILITIES, "rounds": 2})
    bad = (
        ({"rounds": 0}, "'rounds' must be"),
        ({"table": TABLE[0]}, r"the table of steps has the shape \(2, 2, 4\)"),
    )


def draws(count, **arguments):
    return np.stack(on_device("cpu", "_draw_steps", batch_size=count, **arguments).outputs[0])


def test_each_sequence_is_drawn_as_often_as_its_probabilities_say():
    rounds, count = 2, 6000
    steps = draws(count, table=TABLE, probabilities=PROBABILITIES, rounds=rounds)
    assert steps.shape == (count, rounds * 2, 4)
    found = steps[..., 0].reshape(count * rounds, 2)
    cases, seen = np.unique(found, axis=0, return_counts=True)
    expected = {}
    for sequence, chances in zip(TABLE, PROBABILITIES, strict=True):
        for first in (*sequence[0, :, 0], 0):
            for second in (*sequence[1, :, 0], 0):
                chance = np.prod(
                    [p / 2 if at else 1 - p for at, p in zip((first, second), chances, strict=True)]
                )
                key = first, second
                expected[key] = expected.get(key, 0) + chance / len(TABLE) * count * rounds
    expected = {key: value for key, value in expected.items() if value}
    assert {tuple(case) for case in cases.tolist()} == expected.keys()
    wanted = [expected[tuple(case)] for case in cases.tolist()]
    assert chisquare(seen, wanted).pvalue > 0.01


def test_rounds_and_samples_are_independent():
    steps = draws(4000, table=TABLE, probabilities=np.ones((3, 2)), rounds=2)[..., 0]
    first, second = (np.searchsorted(TABLE[:, 0, 0, 0], steps[:, i], "right") for i in (0, 2))
    counts = np.histogram2d(first, second, bins=3)[0]
    assert chisquare(counts.reshape(-1)).pvalue > 0.01
    after = np.histogram2d(first[1:], first[:-1], bins=3)[0]
    assert chisquare(after.reshape(-1)).pvalue > 0.01


def test_a_table_must_have_a_probability_for_each_step():
    with pytest.raises(ArgumentError, match="probabilities"):
        draws(2, table=TABLE, probabilities=PROBABILITIES[:2])
