"""The state of an external source in a checkpoint."""

from __future__ import annotations

import pytest

from penstock.engine.errors import CheckpointError
from penstock.operators.user_code.source_state import check_state

SOUND = {"epoch": 1, "iteration": 4, "sample": 12}


def test_sound_states_pass():
    check_state(SOUND)
    check_state(SOUND | {"position": 3, "source": {"any": "thing"}})


@pytest.mark.parametrize(
    "state",
    [
        None,
        [],
        3,
        {},
        SOUND | {"epoch": -1},
        SOUND | {"epoch": 1 << 32},
        SOUND | {"iteration": 1.0},
        SOUND | {"sample": True},
        SOUND | {"sample": 10**30},
        SOUND | {"position": "3"},
    ],
)
def test_other_states_are_no_states(state):
    with pytest.raises(CheckpointError, match="state of an external source"):
        check_state(state)
