"""The state that an iterator adds to a checkpoint."""

from __future__ import annotations

import json

import pytest

from penstock.engine.errors import CheckpointError
from penstock.plugin.iterator_state import IteratorState

STATE = IteratorState({"size": 8}, 2, 3, False, True, 1, (0, -1))


def test_a_state_survives_json():
    again = IteratorState.from_json(json.loads(json.dumps(STATE.to_json())))
    assert again == STATE
    assert IteratorState.from_json(None) is None
    STATE.check_ranks(2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"epoch": -1}, "epoch is -1"),
        ({"step": 1 << 62}, "step is"),
        ({"discard": 1.5}, "discard is 1.5"),
        ({"ahead": [True]}, r"ahead\[0\] is True"),
        ({"ahead": 3}, "expected"),
        ({"complete": 1}, "complete and exhausted"),
        ({"basis": []}, "basis is"),
        ({"more": 1}, "expected"),
    ],
)
def test_damaged_states_are_refused(change, message):
    with pytest.raises(CheckpointError, match=message):
        IteratorState.from_json(STATE.to_json() | change)


def test_another_number_of_ranks():
    with pytest.raises(CheckpointError, match=r"2 numbers for 3 rank"):
        STATE.check_ranks(3)
