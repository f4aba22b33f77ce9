"""A rank that dies or joins, in each order: which samples of the epochs come.

What the ranks of docs/distributed.md do is done here in one process. tests/plugin/torchft has the
same with processes that are killed.
"""

import json
from collections import Counter

import pytest

from .every_order import HOLDS_STEPS, ORDERS, following, opened, samples, written
from .test_reshard import close, common

EPOCHS = 2


@pytest.fixture
def folder(tmp_path):
    written(tmp_path)
    return tmp_path


def _step(live):
    """Return the samples and the number of rows in the next batch of each rank."""
    batches = [following(iterator) for iterator in live]
    return [samples(batch) for batch in batches], [len(batch["sample"]) for batch in batches]


def _rest(live):
    """Return the samples and rows of each step until `EPOCHS` epochs are over."""
    steps = []
    while common([iterator.epoch for iterator in live]) < EPOCHS:
        steps.append(_step(live))
    return steps


def _undisturbed(name, folder):
    iterator = opened(name, folder)
    seen = _counted(_rest([iterator]))
    iterator.close()
    return seen


def _counted(steps):
    return Counter(n for each, _ in steps for rank in each for n in rank)


def _resharded(live, state=None, **options):
    for rank, iterator in enumerate(live):
        if state is not None:
            iterator.load_state_dict(json.loads(state))
        iterator.reshard(rank, len(live), **options)
    common([iterator.state_dict() for iterator in live])
    common([len(iterator) for iterator in live])


def _killed_and_joined(name, folder, **options):
    """Return the steps of two epochs in which a rank dies, and another one joins."""
    live = [opened(name, folder, rank, 3) for rank in range(3)]
    steps = [_step(live) for _ in range(4)]
    before = json.dumps(live[2].state_dict())
    _step(live)  # the step in which a rank dies
    live.pop(1).close()
    _resharded(live, before, **options)
    steps += [_step(live) for _ in range(3)]
    state = json.dumps(live[1].state_dict())
    live.append(opened(name, folder))
    live[2].load_state_dict(json.loads(state))
    _resharded(live, **options)
    steps += _rest(live)
    close(live)
    return steps


@pytest.mark.parametrize("name", ORDERS)
def test_with_the_state_of_the_step_before_no_sample_is_lost(name, folder):
    assert _counted(_killed_and_joined(name, folder)) == _undisturbed(name, folder)


@pytest.mark.parametrize("name", HOLDS_STEPS)
def test_a_step_that_is_kept_stays_as_large(name, folder):
    steps = _killed_and_joined(name, folder, keep_global_batch=True)
    assert _counted(steps) == _undisturbed(name, folder)
    sizes = [sum(rows) for _, rows in steps]
    shorter = [size for size in sizes if size != 9]
    assert len(shorter) <= EPOCHS  # the last steps of epochs
    assert max(sizes) == 9


@pytest.mark.parametrize("name", ORDERS)
def test_without_that_state_the_batch_of_the_dead_rank_is_lost(name, folder):
    live = [opened(name, folder, rank, 3) for rank in range(3)]
    steps = [_step(live) for _ in range(4)]
    batches, rows = _step(live)
    live.pop(1).close()
    lost = batches.pop(1)
    _resharded(live)
    steps += [(batches, rows), *_rest(live)]
    close(live)
    assert _counted(steps) + Counter(lost) == _undisturbed(name, folder)
    assert lost
