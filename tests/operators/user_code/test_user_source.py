import functools

import pytest

from penstock.engine.errors import ArgumentError, CheckpointError
from penstock.operators.user_code.user_source import make_source


def numbers():
    yield 1
    yield 2


class Rewinding:
    """An iterator that starts over when `iter` is called, as many examples are written."""

    def __iter__(self):
        self.left = [1, 2]
        return self

    def __next__(self):
        if not self.left:
            raise StopIteration
        return self.left.pop(0)


class Countdown:
    """A callable object."""

    def __call__(self, index):
        return 10 - index


def drain(source, count):
    """Take `count` items; STOP stands for the end, after which the source is rewound."""
    items = []
    for _ in range(count):
        try:
            items.append(source.next())
        except StopIteration:
            items.append("STOP")
            source.rewind()
    return items


@pytest.mark.parametrize("source", [[1, 2], (1, 2), numbers, Rewinding(), range(1, 3)])
@pytest.mark.parametrize(
    ("cycle", "items"),
    [
        (None, [1, 2, "STOP", "STOP", "STOP"]),
        ("no", [1, 2, "STOP", "STOP", "STOP"]),
        (True, [1, 2, 1, 2, 1]),
        ("quiet", [1, 2, 1, 2, 1]),
        ("raise", [1, 2, "STOP", 1, 2]),
    ],
)
def test_cycles(source, cycle, items):
    assert drain(make_source(source, cycle), 5) == items


def test_iterators_and_generators_run_once():
    assert drain(make_source(iter([1]), None), 3) == [1, "STOP", "STOP"]
    assert drain(make_source(numbers(), None), 3) == [1, 2, "STOP"]


@pytest.mark.parametrize(
    ("cycle", "items"), [("quiet", [1, 2, "STOP"]), ("raise", [1, 2, "STOP", "STOP"])]
)
def test_an_iterator_that_runs_once_and_should_cycle_gives_a_warning(cycle, items):
    with pytest.warns(RuntimeWarning, match="cycle='.*' has no effect: .* pass an iterable, such"):
        assert drain(make_source(iter([1, 2]), cycle), len(items)) == items


def test_empty_source_ends_even_if_cycled():
    with pytest.raises(StopIteration):
        make_source([], "quiet").next()


def test_functions():
    without = make_source(lambda: 5, None)
    assert not without.takes_argument
    assert without.next() == 5
    for function in (lambda i: 10 - i, Countdown(), functools.partial(lambda a, b: a - b, 10)):
        source = make_source(function, None)
        assert source.takes_argument
        assert source.next(3) == 7


def test_skipping():
    source = make_source(numbers, "raise")
    source.skip(1)
    assert source.position() == 1
    assert drain(source, 3) == [2, "STOP", 1]
    with pytest.raises(CheckpointError, match=r"after 3 items of the source, but .* has only 2"):
        make_source(numbers, None).skip(3)


@pytest.mark.parametrize(
    ("source", "cycle", "text"),
    [
        (5, None, "is a function, an iterable or a generator function, not 5"),
        ([1], "always", "not 'always'"),
        ([1], [], "cycle must be"),
        (numbers(), "raise", "pass the generator function"),
        (lambda: 1, True, "only iterables"),
        (lambda a, b: 1, None, "has no argument, or one argument"),
        (lambda *a: 1, None, "has no argument, or one argument"),
    ],
)
def test_what_is_no_source(source, cycle, text):
    with pytest.raises(ArgumentError, match=text):
        make_source(source, cycle)
