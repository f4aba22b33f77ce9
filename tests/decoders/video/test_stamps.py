import numpy as np
import pytest

from penstock.decoders.video.stamps import Grid, Stamps

MILLISECONDS = Stamps(44100, 44.1)


def rounded(starts, tick=44.1):
    return [float(np.round(start / tick) * tick) for start in starts]


def test_exact_stamps():
    assert Stamps(48000, 1.0).positions([10, 1034, 2058], [1024] * 3) == [10, 1034, 2058]


@pytest.mark.parametrize("start", [0, 777, 100_000])
def test_many_rounded_stamps_agree_on_one_shift(start):
    true = [start + 1024 * i for i in range(40)]
    found = MILLISECONDS.positions(rounded(true), [1024] * 40)
    assert np.diff(found).tolist() == [1024] * 39
    assert abs(found[0] - start) <= 2


def test_a_frame_without_a_stamp_follows_the_one_before():
    assert Stamps(8000, 1.0).positions([5, None, 205], [100] * 3) == [5, 105, 205]


def test_a_gap_begins_a_new_run():
    stamps = [0, 1000, 9000, 10000]
    assert Stamps(8000, 1.0).positions(stamps, [1000] * 4) == stamps


@pytest.mark.parametrize("count", [2, 3, 7])
def test_a_grid_makes_rounded_stamps_exact(count):
    starts = [500, *(812 + 1024 * i for i in range(99))]
    grid = MILLISECONDS.grid([500, *rounded(starts[1:])], [312, *[1024] * 98, 7])
    assert grid == Grid(812, 1024)
    window = starts[30 : 30 + count]
    assert MILLISECONDS.positions(rounded(window), [1024] * count, grid) == window


def test_a_run_beside_the_grid_keeps_its_place():
    grid = Grid(0, 1024)
    starts = [500 + 1024 * i for i in range(30)]
    assert abs(MILLISECONDS.positions(rounded(starts), [1024] * 30, grid)[0] - 500) <= 2


def test_frames_of_different_lengths_have_no_grid():
    assert MILLISECONDS.grid([0, 128, 1152], [128, 1024, 128]) == Grid(128, 1024)
    assert MILLISECONDS.grid([0, 128, 1152, 1280], [128, 1024, 128, 1024]) is None
    assert MILLISECONDS.grid([0], [1024]) is None
