import numpy as np

from penstock.formats.ragged import bounds_of, range_indices, take_ranges


def test_ranges_end_to_end():
    starts, counts = np.array([7, 2, 0, 9]), np.array([2, 0, 3, 1])
    assert range_indices(starts, counts).tolist() == [7, 8, 0, 1, 2, 9]
    assert range_indices(starts[:0], counts[:0]).tolist() == []
    assert bounds_of(np.array([], np.int64)).tolist() == [0]


def test_rows_of_a_ragged_column_in_any_order():
    bounds = np.array([0, 2, 2, 5])
    elements, taken = take_ranges(bounds, np.array([2, 1, 0, 2]))
    assert elements.tolist() == [2, 3, 4, 0, 1, 2, 3, 4]
    assert taken.tolist() == [0, 3, 3, 5, 8]
