from operator import mul

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.readers.npy.plan import ReadCost, plan_region

DTYPES = ["u1", "<i2", ">f4", "<f8", "<c16"]


def gather(stored, array, starts, grids, result):
    """Fill the result as whoever carries a plan out does; return the bytes that were read."""
    begin = int(np.dot(starts, array.strides))
    read = 0
    for grid in grids:
        for reads, index in [(slice(None), None)] if grid.direct else grid.tiles():
            offsets = begin + grid.offsets[reads]
            parts = [stored[offset : offset + grid.length] for offset in offsets.tolist()]
            assert all(len(part) == grid.length for part in parts)
            block = np.concatenate(parts)
            read += block.size
            if index is None:
                result.reshape(-1).view(np.uint8)[:] = block
            else:
                elements = grid.elements(block, array.dtype, len(parts))
                np.copyto(grid.arranged(result)[index], elements)
    return read


def plan_of(array, counts, steps, cost, direct=True):
    strides = tuple(map(mul, array.strides, steps))
    fortran = not array.flags.c_contiguous
    return plan_region(counts, strides, array.itemsize, fortran, cost, direct)


def made(shape, dtype, order):
    """Return an array of distinct elements, and its bytes as a file has them."""
    array = np.arange(1, np.prod(shape, dtype=int) + 1).reshape(shape).astype(dtype)
    array = np.asarray(array, order=order)
    return array, np.frombuffer(array.tobytes("A"), np.uint8)


@st.composite
def parts(draw):
    shape = draw(st.lists(st.integers(1, 7), max_size=4))
    starts, counts, steps = [], [], []
    for extent in shape:
        starts.append(draw(st.integers(0, extent - 1)))
        steps.append(draw(st.integers(1, 3)))
        counts.append(draw(st.integers(1, 1 + (extent - 1 - starts[-1]) // steps[-1])))
    cost = ReadCost(
        draw(st.sampled_from([0, 1, 8, 40, 10_000])), draw(st.sampled_from([1, 30, 5000]))
    )
    order, dtype = draw(st.sampled_from("CF")), draw(st.sampled_from(DTYPES))
    return tuple(shape), starts, tuple(counts), tuple(steps), order, dtype, cost


@given(parts(), st.booleans())
def test_a_plan_gathers_what_numpy_slices(part, contiguous):
    shape, starts, counts, steps, order, dtype, cost = part
    array, stored = made(shape, dtype, order)
    native = array.dtype.newbyteorder("=")
    whole = np.zeros(counts if contiguous else tuple(n + 2 for n in counts), native)
    result = whole if contiguous else whole[(*(slice(1, n + 1) for n in counts), ...)]
    direct = contiguous and array.dtype.isnative
    grids = plan_of(array, counts, steps, cost, direct)
    gather(stored, array, starts, grids, result)
    expected = array[
        tuple(
            slice(a, a + (n - 1) * s + 1, s) for a, n, s in zip(starts, counts, steps, strict=True)
        )
    ]
    np.testing.assert_array_equal(result, expected)
    if not contiguous:
        result[...] = 0
        assert not whole.any()


def longest_run(shape, counts, steps, order, itemsize):
    """Return how many bytes of a part lie side by side in the file."""
    length = itemsize
    axes = list(zip(shape, counts, steps, strict=True))
    for extent, count, step in axes if order == "F" else axes[::-1]:
        if count > 1 and step > 1:
            break
        length *= count
        if count < extent:
            break
    return length


@given(parts())
def test_what_is_read_is_bounded_by_the_cost(part):
    shape, _, counts, steps, order, dtype, cost = part
    array, _ = made(shape, dtype, order)
    grids = plan_of(array, counts, steps, cost)
    wanted = int(np.prod(counts, dtype=int)) * array.itemsize
    read = sum(grid.length * len(grid.offsets) for grid in grids)
    assert wanted <= read <= wanted * (1 + cost.gap)
    for grid in grids:
        run = longest_run(shape, counts, steps, order, array.itemsize)
        assert grid.direct or grid.length <= max(cost.most, run)


@pytest.mark.parametrize(
    ("counts", "order", "gap", "reads", "length", "direct"),
    [
        ((4, 8, 16), "C", 0, 1, 4 * 8 * 16 * 4, True),  # all of it
        ((4, 8, 16), "F", 0, 1, 4 * 8 * 16 * 4, False),  # transposed from memory
        ((2, 8, 16), "C", 0, 1, 2 * 8 * 16 * 4, True),  # one run
        ((2, 3, 16), "C", 0, 2, 3 * 16 * 4, True),  # a run a plane
        ((2, 3, 5), "C", 0, 6, 5 * 4, True),  # a run a row
        ((2, 3, 5), "C", 64, 2, (2 * 16 + 5) * 4, False),  # rows lie close, planes do not
        ((2, 3, 5), "C", 4096, 1, (8 * 16 + 2 * 16 + 5) * 4, False),
        ((4, 1, 1), "F", 0, 1, 16, True),  # one axis alone needs no transposition
        ((2, 1, 1), "C", 0, 2, 4, True),
    ],
)
def test_runs_are_joined_where_gaps_are_cheap(counts, order, gap, reads, length, direct):
    array = np.empty((4, 8, 16), "f4", order)
    (grid,) = plan_of(array, counts, (1, 1, 1), ReadCost(gap, 1 << 20))
    assert (len(grid.offsets), grid.length, grid.direct) == (reads, length, direct)


def test_long_runs_are_read_to_their_place_rather_than_joined():
    array = np.empty((10, 5000))
    (grid,) = plan_of(array, (10, 4000), (1, 1), ReadCost(16_384, 1 << 20))
    assert (grid.direct, grid.length) == (True, 32_000)


def test_what_is_staged_at_once_is_bounded():
    array = np.empty((1000, 64), "f4")
    grids = plan_of(array, (1000, 8), (1, 1), ReadCost(16_384, 10_000))
    assert all(grid.length <= 10_000 for grid in grids)
    rows = sum(len(grid.offsets) * (1 + (grid.length - 32) // 256) for grid in grids)
    assert rows == 1000


def test_no_axes():
    (grid,) = plan_region((), (), 8, False, ReadCost(0, 100), True)
    assert (grid.offsets.tolist(), grid.length, grid.direct) == ([0], 8, True)


def test_planning_costs_nothing_for_the_place_of_a_part():
    array = np.empty((100, 100, 100), "f4")
    plans = {id(plan_of(array, (8, 8, 8), (1, 1, 1), ReadCost(64, 1000))) for _ in range(9)}
    assert len(plans) == 1
