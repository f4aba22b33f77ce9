"""Placeholders anywhere in a batch are replaced."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, namedtuple
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch.utils.data import default_collate  # noqa: E402  (only where PyTorch is)

Pair = namedtuple("Pair", "image label")


class Numbers(tuple):
    __slots__ = ()


@dataclass(frozen=True)
class Record:
    image: object
    rest: object = None


@pytest.fixture
def server(serve):
    return serve()


@pytest.fixture
def batch(server):
    """What stands for [0, 2]."""
    return default_collate([server.proxy(np.int32(i)) for i in range(2)])


@pytest.mark.parametrize(
    ("make", "part"),
    [
        (lambda x: x, lambda d: d),
        (lambda x: [1, x], lambda d: d[1]),
        (lambda x: (1, x), lambda d: d[1]),
        (lambda x: Pair(x, 1), lambda d: d.image),
        (lambda x: Numbers((x, 1)), lambda d: d[0]),
        (lambda x: {"a": {"b": [x]}}, lambda d: d["a"]["b"][0]),
        (lambda x: OrderedDict(a=x), lambda d: d["a"]),
        (lambda x: defaultdict(list, a=[(x,)]), lambda d: d["a"][0][0]),
        (lambda x: SimpleNamespace(a=SimpleNamespace(b=x)), lambda d: d.a.b),
        (lambda x: Record(x), lambda d: d.image),
        (lambda x: [Record((1, {"a": x}))], lambda d: d[0].image[1]["a"]),
    ],
)
def test_a_placeholder_is_found_in(server, batch, make, part):
    data = make(batch)
    result = server.produce_data(data)
    assert type(result) is type(data) or result is part(result)
    assert part(result).tolist() == [0, 2]


def test_what_can_be_changed_is_changed_in_place(server, batch):
    data = [{"a": batch}, SimpleNamespace(b=batch)]
    inner, thing = data
    assert server.produce_data(data) is data
    assert data[0] is inner
    assert inner["a"] is thing.b


def test_what_holds_no_placeholder_stays_the_same_object(server, batch):
    plain, tensor = (1, [2]), torch.ones(2)
    data = server.produce_data((plain, tensor, batch))
    assert data[0] is plain
    assert data[1] is tensor


def test_circles_are_followed_once(server, batch):
    class Parent:
        def __init__(self):
            self.child = SimpleNamespace(parent=self, data=batch)

    parent = Parent()
    ring = [batch]
    ring.append((ring, batch))
    result = server.produce_data([parent, ring])
    assert result[0].child.parent is parent
    assert parent.child.data.tolist() == [0, 2]
    assert ring[1][0] is ring
    assert ring[1][1] is ring[0]


def test_circles_without_placeholders_are_no_problem(server):
    ring = []
    ring.append(ring)
    assert server.produce_data(ring) is ring


def test_a_tuple_in_its_own_list_stays_one_object(server, batch):
    ring = []
    pair = (ring, batch)
    ring.append(pair)
    result = server.produce_data(pair)
    assert result[0][0] is result
    assert result[1].tolist() == [0, 2]


def test_deep_nesting_is_no_problem_for_the_search(server):
    data = []
    for _ in range(5000):
        data = [data]
    assert server.produce_data(data) is data
