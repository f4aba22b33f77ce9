"""What a checkpoint says of a mixture, and what goes on from it."""

import json
from dataclasses import replace

import pytest

from penstock.engine.errors import CheckpointError
from penstock.engine.order.cursor import Cursor
from penstock.engine.order.mixture import Mixture
from penstock.engine.order.mixture_state import MixtureState
from penstock.engine.order.shares import shares_of_repeats, shares_of_weights

SIZES = {"hand": 40, "web": 100}


def _mixture(sizes=SIZES, weights=(1, 3), **options):
    named = dict(zip(sizes, weights, strict=True))
    return Mixture(sizes, shares_of_weights(sizes, named, 80), shuffle=True, **options)


def _after(plan, batches=4, batch_size=5):
    return MixtureState.from_json(
        json.loads(json.dumps(Cursor(plan, batch_size).saved_after(batches)))
    )


def test_an_epoch_keeps_its_end_when_weights_change():
    state = _after(_mixture())
    changed = _mixture(weights=(3, 1), state=state)
    start = changed.start
    assert (start.epoch, start.at, start.begin, start.end) == (0, 20, 20, 80)
    assert start.entries == (5, 15)
    found = Cursor(changed, 60).select(0)
    assert [(found.source == i).sum() for i in range(2)] == [45, 15]
    assert (found.epoch.tolist(), found.position.tolist()) == ([0] * 60, [*range(20, 80)])


def test_between_epochs_the_new_weights_make_a_whole_epoch():
    state = _after(_mixture(), batches=16)
    changed = _mixture(weights=(3, 1), state=state)
    assert (changed.start.epoch, changed.start.at, changed.start.begin) == (1, 0, 0)


def test_a_source_is_added_parked_and_brought_back():
    state = _after(_mixture())
    with_third = _after(_mixture({**SIZES, "new": 30}, (1, 1, 2), state=state))
    assert with_third.entries == (5, 15, 0)
    alone = _after(_mixture({"new": 30}, (1,), state=with_third))
    assert alone.parked == {"hand": (40, 10), "web": (100, 20)}
    back = _mixture(state=alone)
    assert back.start.entries == (10, 20)
    assert back.start.parked == {"new": (30, 30)}


def test_a_source_of_another_size_is_named():
    state = _after(_mixture())
    with pytest.raises(CheckpointError, match=r"'web' had 100 samples .* has 90 now"):
        _mixture({"hand": 40, "web": 90}, state=state)
    anew = _mixture({"hand": 40, "web": 90}, state=state, restart=frozenset({"web"}))
    assert anew.start.entries == (5, 0)


def test_weights_that_were_set_hold_on_in_the_same_program():
    shares = shares_of_weights(SIZES, {"hand": 1, "web": 1}, 80)
    asked = _mixture().shares
    state = replace(_after(_mixture()), asked="")
    changed = Mixture(SIZES, shares, shuffle=True, state=state, asked=asked)
    assert changed.shares == shares
    assert _mixture(state=_after(changed)).shares == shares
    assert _mixture(weights=(1, 2), state=_after(changed)).shares != shares


def test_another_shuffle_is_refused():
    with pytest.raises(CheckpointError, match=r"shuffle=True .* shuffle=False"):
        Mixture(SIZES, shares_of_repeats(SIZES, {}), state=_after(_mixture()))


def test_the_seed_is_that_of_the_state():
    assert _mixture(state=_after(_mixture(seed=5)), seed=9).start.seed == 5


def test_many_sources_have_a_short_state():
    sizes = {f"class {i}": 10 + i for i in range(1000)}
    plan = Mixture(sizes, shares_of_repeats(sizes, {}))
    saved = Cursor(plan, 64).saved_after(10)
    assert "entries" not in saved
    assert isinstance(saved["sizes"], str)
    assert Mixture(sizes, plan.shares, state=MixtureState.from_json(saved)).start.at == 640
    more = {**sizes, "one": 1}
    with pytest.raises(CheckpointError, match="other sources, or of sources of other sizes"):
        Mixture(more, shares_of_repeats(more, {}), state=MixtureState.from_json(saved))


@pytest.mark.parametrize(
    "damage",
    [
        {"counts": [1]},
        {"counts": "x"},
        {"sizes": {"hand": 0, "web": 1}},
        {"sizes": [1, 2]},
        {"at": -1},
        {"at": 10**9},
        {"epoch": 1 << 40},
        {"entries": [1]},
        {"entries": [1, -1]},
        {"seed": "1"},
        {"shuffle": 1},
        {"parked": {"x": [1]}},
        {"blocks": [0, 1]},
        {"per_batch": [7, 6]},
    ],
)
def test_damaged_states_are_refused(damage):
    value = Cursor(_mixture(), 5).saved_after(4) | damage
    with pytest.raises(CheckpointError, match="damaged or was edited"):
        MixtureState.from_json(value)
