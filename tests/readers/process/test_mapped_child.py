"""The process that maps files, as it sees itself: what it copies, and what it leaves."""

import os

import numpy as np
import pytest

from penstock.engine.tensors.arena import Arena
from penstock.engine.threads import Team
from penstock.readers.process.mapped_child import MapCopier, MappedFiles, _divided, _ranges
from penstock.readers.storage.local_reads import identity

CONTENT = np.random.default_rng(1).integers(0, 256, 1 << 20, "u1")
TARGET = 8192  # in the arena


@pytest.fixture
def path(tmp_path):
    (tmp_path / "a").write_bytes(CONTENT.tobytes())
    return str(tmp_path / "a")


@pytest.fixture
def arena():
    return Arena()


@pytest.fixture
def copier(arena):
    return MapCopier(arena, Team("reading", 2), 8)


def file(path):
    return path, identity(os.stat(path))


def alike(*places, shape=(10, 20), strides=(1000, 2)):
    target_strides = (40, 2)
    return shape, "<u2", strides, "<u2", target_strides, np.array(places, np.int64)


def test_copies(path, arena, copier):
    (done,) = copier.copy([file(path)], [alike((0, 5, TARGET), (0, 70_001, TARGET + 400))])
    assert done.tolist() == [True, True]
    found = arena.array((TARGET, (2, 10, 20), "<u2"))
    for i, begin in enumerate((5, 70_001)):
        rows = CONTENT[begin : begin + 10_000].reshape(10, 1000)[:, :40]
        np.testing.assert_array_equal(found[i], rows.copy().view("<u2"))


@pytest.mark.parametrize(
    ("place", "fits"),
    [
        ((0, (1 << 20) - 9040, TARGET), True),  # up to the file's last byte
        ((0, (1 << 20) - 9039, TARGET), False),
        ((0, -1, TARGET), False),
        ((0, 0, -2), False),
        ((0, 0, "arena"), True),
        ((0, 0, "behind"), False),
        ((0, 1 << 62, TARGET), False),
        ((0, 0, 1 << 62), False),
    ],
)
def test_what_lies_outside_is_left(path, arena, copier, place, fits):
    last = len(arena.map) - 400
    number, begin, target = place
    target = {"arena": last, "behind": last + 1}.get(target, target)
    (done,) = copier.copy([file(path)], [alike((number, begin, target), (0, 0, TARGET))])
    assert done.tolist() == [fits, True]


def test_another_state_of_a_file_is_left(path, tmp_path, copier):
    before = file(path)
    (tmp_path / "b").write_bytes(CONTENT[::-1].tobytes())
    os.replace(tmp_path / "b", path)
    missing = str(tmp_path / "b"), before[1]
    places = [(number, 0, TARGET + 400 * number) for number in range(3)]
    (done,) = copier.copy([before, missing, file(path)], [alike(*places)])
    assert done.tolist() == [False, False, True]


def test_the_files_that_were_used_last_stay_mapped(tmp_path):
    states = []
    for name in "abc":
        (tmp_path / name).write_bytes(b"x" * 5000)
        states.append(file(str(tmp_path / name)))
    maps = MappedFiles(2)
    first, second = maps.get(*states[0]), maps.get(*states[1])
    assert maps.get(*states[0]) is first
    assert maps.get(*states[2]) is not None
    assert maps.get(*states[0]) is first
    assert maps.get(*states[1]) is not second
    assert first.content[:2] == b"xx"


def test_an_empty_file_cannot_be_mapped(tmp_path):
    (tmp_path / "a").touch()
    assert MappedFiles(2).get(*file(str(tmp_path / "a"))) is None


def test_pages_that_are_not_in_memory(path):
    found = MappedFiles(1).get(*file(path))
    array = np.ndarray((200, 100), "u1", found.content, 5, (4096, 1))
    there = [found.holds(array)]
    fd = os.open(path, os.O_RDONLY)
    os.fsync(fd)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    there += [found.holds(array), found.holds(array[150:])]
    try:
        os.preadv(fd, [bytearray(10)], 0, os.RWF_NOWAIT)
        pytest.skip("this file system keeps its files in memory")
    except BlockingIOError:
        assert there == [True, False, False]
    finally:
        os.close(fd)


def test_divided():
    assert _divided((10, 20), 4) == [()]
    pieces = _divided((3, 5, 1 << 20), 2)
    assert pieces[:2] == [(0, slice(0, 2)), (0, slice(2, 4))]
    taken = np.zeros((3, 5), int)
    for piece in pieces:
        taken[piece] += 1
    assert (taken == 1).all()


@pytest.mark.parametrize(
    ("shape", "strides", "begins", "length"),
    [
        ((1 << 20,), (4,), [0], 4 << 20),
        ((4, 8, 8), (1 << 20, 2048, 4), [0, 1 << 20, 2 << 20, 3 << 20], 7 * 2048 + 32),
        ((1, 8, 8), (1 << 20, 2048, 4), [0], 7 * 2048 + 32),
        ((2, 3, 4), (1 << 24, 1 << 20, 4), [i << 20 for i in (0, 1, 2, 16, 17, 18)], 16),
    ],
)
def test_ranges(shape, strides, begins, length):
    assert _ranges(shape, strides, 4) == (begins, length)


def test_of_many_ranges_some_are_looked_at():
    begins, _ = _ranges((100, 4), (1 << 20, 4), 4)
    assert len(begins) == 8
    assert (begins[0], begins[-1]) == (0, 99 << 20)
