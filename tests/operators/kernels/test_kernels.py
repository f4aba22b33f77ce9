"""Kernels of operators as values, and how many steps their threads take."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.operators.kernels import kernel, lanes_of, steps_of_lanes


def test_macros_are_texts_numbers_and_bools():
    function = kernel("elementwise/pointwise", "pointwise", In0="float", LANES=4, FILLED=True)
    assert function.macros == (("FILLED", "1"), ("In0", "float"), ("LANES", "4"))
    assert function.file.name == "pointwise.cu"
    assert function.file.is_file()


def test_a_kernel_is_made_once():
    assert kernel("rotate", "rotate", CHANNELS=3) is kernel("rotate", "rotate", CHANNELS=3)


@pytest.mark.parametrize("size", [1, 2, 4, 8])
def test_packs_have_16_bytes_at_most(size):
    assert lanes_of(size) * size in (8, 16)


def test_steps_cover_the_elements_and_two_cut_packs():
    steps = steps_of_lanes(np.array([0, 1, 8, 80]), 1)
    assert steps.tolist() == [0, 2, 3, 12]
    assert steps_of_lanes(np.array([0, 1, 8, 80]), 1, 4).tolist() == [0, 1, 1, 3]
