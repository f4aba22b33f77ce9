from __future__ import annotations

import json
from itertools import chain

import numpy as np
import pytest

from penstock.engine.errors import CheckpointError
from penstock.engine.order.block_permutation import Blocks
from penstock.engine.order.sampler_state import Rest, SamplerState
from penstock.engine.order.state import joined

STATE = SamplerState(
    size=20,
    shuffle=True,
    seed=2**64 - 1,
    epoch=4,
    blocks=Blocks(8, 2),
    remaining={4: ((3, 5), (9, 10)), 5: (), 6: ((0, 19),)},
    cuts={4: (0, 0, 3)},
)


def test_positions_and_intervals_of_ordinals():
    rest = Rest(((3, 5), (9, 10), (12, 20)))
    positions = [3, 4, 9, *range(12, 20)]
    assert rest.count == len(positions)
    assert rest.positions(np.arange(rest.count)).tolist() == positions
    for start in range(rest.count + 1):
        for stop in range(start, rest.count + 1):
            ranges = [range(*interval) for interval in rest.intervals_of(start, stop)]
            assert [*chain.from_iterable(ranges)] == positions[start:stop]


def test_intervals_that_touch_are_joined():
    assert joined([(0, 2), (2, 5), (6, 7), (7, 8)]) == ((0, 5), (6, 8))
    assert joined([]) == ()


def test_json_round_trip():
    assert SamplerState.from_json(json.loads(json.dumps(STATE.to_json()))) == STATE


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"size": 0}, "size is 0"),
        ({"size": 18}, "remaining is .*19"),
        ({"size": "20"}, "size is '20'"),
        ({"shuffle": 1}, "shuffle is 1"),
        ({"seed": 1.5}, "seed is 1.5"),
        ({"seed": True}, "seed is True"),
        ({"epoch": -1}, "epoch is -1"),
        ({"epoch": 2**32}, "epoch is 4294967296"),
        ({"epoch": 5}, "remaining is"),
        ({"remaining": {"4": [[3, 6]], "6": []}}, "remaining is"),
        ({"remaining": {"4": [[3, 3]]}}, "remaining is"),
        ({"remaining": {"4": [[3, 5], [5, 6]]}}, "remaining is"),
        ({"remaining": {"4": [[8, 9], [3, 5]]}}, "remaining is"),
        ({"remaining": {"4": [[-1, 5]]}}, "remaining is"),
        ({"remaining": {"4": [["3", "5"]]}}, "remaining is"),
        ({"remaining": {"4": [[3, 5, 6]]}}, "remaining is"),
        ({"remaining": {"4": 3}}, "remaining is"),
        ({"remaining": {"four": []}}, "remaining is"),
        ({"remaining": [[3, 5]]}, "remaining is"),
        ({"cuts": {"4": [0, 2]}}, "cuts is"),
        ({"cuts": {"4": [0, 2, 1, 3]}}, "cuts is"),
        ({"cuts": {"4": [3]}}, "cuts is"),
        ({"cuts": {"7": [0, 0]}}, "cuts is"),
        ({"cuts": {"4": None}}, "cuts is"),
        ({"blocks": [8]}, "blocks is"),
        ({"blocks": [0, 2]}, "blocks is"),
        ({"blocks": 8}, "blocks is"),
        ({"shuffle": False}, "blocks is"),
        ({"more": 1}, "expected"),
    ],
)
def test_a_damaged_state_is_refused(change, complaint):
    with pytest.raises(CheckpointError, match=complaint):
        SamplerState.from_json(STATE.to_json() | change)


@pytest.mark.parametrize("value", [None, [], "state", 3, {}])
def test_what_is_no_state_is_refused(value):
    with pytest.raises(CheckpointError, match="expected"):
        SamplerState.from_json(value)
