"""The two roles of an input: what they do without further work, and what they leave to others."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.graph.inputs import FedInput, InputOperator, SeekableInput
from penstock.engine.graph.operator import OPERATORS
from penstock.operators.user_code.external_source import ExternalSource
from penstock.readers.reader import Reader

from ..toys import Feed, Numbers, call, make


class Plain(SeekableInput):
    """A seekable input with as little as one may have."""

    def select(self, number):
        return None

    def meta(self):
        return {}

    def state_after(self, batches):
        return batches


class PlainFeed(FedInput):
    """A fed input with as little as one may have."""

    def feed(self, data, layout, cuda_stream):
        pass

    def fetch(self, number, batch_size):
        return batch_size


@pytest.fixture
def seekable():
    return Plain.__new__(Plain)


@pytest.fixture
def fed():
    return PlainFeed.__new__(PlainFeed)


def test_every_input_has_one_of_the_roles():
    inputs = {operator for operator in OPERATORS.values() if issubclass(operator, InputOperator)}
    assert {ExternalSource, OPERATORS["readers.file"]} <= inputs
    for each in inputs | {Numbers, Feed}:
        assert issubclass(each, SeekableInput) != issubclass(each, FedInput), each
    assert issubclass(Reader, SeekableInput)


@pytest.mark.parametrize(
    ("role", "missing"),
    [(SeekableInput, "meta, select, state_after"), (FedInput, "feed, fetch")],
)
def test_what_each_role_must_say_itself(role, missing):
    incomplete = type("Incomplete", (role,), {})
    with pytest.raises(TypeError, match=missing):
        incomplete()


def test_a_seekable_input_has_no_replacement_and_shares_no_memory_by_default(seekable):
    assert seekable.replacement(None, 0, 0) is None
    assert seekable.where(None) is None
    assert seekable.wants_shared_memory(uses_gpu=False) is False
    assert seekable.wants_shared_memory(uses_gpu=True) is False


def test_a_fed_input_takes_its_number_as_its_selection(fed):
    assert fed.select(3) is None
    assert fed.snapshot() is None
    assert fed.available() is None
    assert fed.waits_for_feed is False


def test_the_feeder_asks_each_role_in_turn():
    asked = []

    def source(number):
        asked.append(number)
        return np.full((4, 1), number)

    def define():
        return call(Numbers, size=8)[1], call(Feed, source=source)

    with make(define, batch_size=4, prefetch_queue_depth=1) as pipe:
        for number in range(3):
            labels, data = pipe.run()
            assert labels.as_array().tolist() == [(4 * number + i) % 8 for i in range(4)]
            assert data.as_array().tolist() == [[number]] * 4
    assert asked[:3] == [0, 1, 2]
