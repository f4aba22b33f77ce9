"""Structs of axes: their fields, and the filters' curves one after the other."""

from __future__ import annotations

import numpy as np

from penstock.operators.resize.axes import find_stepwise, plan_axes
from penstock.operators.resize.filters import CURVES, Filter
from penstock.operators.resize.gpu_tables import WAYS, axis_table


def table_of(*filters, out_size=5, stepwise=False):
    count = len(filters)
    sizes = np.full(count, 10), np.full(count, out_size)
    chosen = (np.array([int(each) for each in filters]),) * 2
    axes = plan_axes(*sizes, np.zeros(count), np.full(count, 10.0), chosen, True)
    if stepwise:
        find_stepwise(axes)
    return axis_table(axes)


def test_ways():
    nearest = Filter.NEAREST, Filter.LINEAR
    assert table_of(*nearest).array["way"].tolist() == [WAYS["COPY"], WAYS["WEIGH"]]
    assert table_of(*nearest, stepwise=True).array["way"][0] == WAYS["COPY_STEPWISE"]
    assert table_of(Filter.CUBIC, out_size=10).array["way"].tolist() == [WAYS["COPY"]]


def test_curves_lie_one_after_the_other():
    table = table_of(Filter.LINEAR, Filter.CUBIC, Filter.LANCZOS3, Filter.GAUSSIAN).array
    lengths = [len(CURVES[f].table) for f in (Filter.CUBIC, Filter.LANCZOS3)]
    assert table["curve"].tolist() == [-1, 0, lengths[0], sum(lengths)]
    assert table["last"].tolist() == [0, *(float(CURVES[Filter(f)].last) for f in (2, 3, 5))]


def test_the_struct_is_declared():
    table = table_of(Filter.LINEAR)
    assert table.struct.name == "Axis"
    assert "    float start;" in table.struct.declarations[-1]
    assert table.array["taps"].tolist() == [4]
