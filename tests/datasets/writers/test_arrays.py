"""Stacks and archives of NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.datasets import Sample, convert
from penstock.engine.errors import ArgumentError
from penstock.testing import made
from penstock.testing.writers import WriterTests


class TestStackWriter(WriterTests):
    format = "npy"
    contents = ("arrays",)

    def bad_sample(self, sample):
        return Sample("a", {**sample.components, "array": np.zeros((1, 1), np.float32)})


class TestNpzWriter(WriterTests):
    format = "npz"
    contents = ("arrays",)

    def test_samples_that_do_not_fit_are_argument_errors(self, tmp_path):
        """Archives hold arrays of any shape."""


def test_numpy_reads_the_stacks(tmp_path):
    root = made.write(tmp_path / "a", made.arrays(), "npy")
    stack = np.load(root / "shard-00000.array.npy")
    expected = np.stack([sample.components["array"] for sample in made.arrays()])
    np.testing.assert_array_equal(stack, expected)
    assert np.load(root / "shard-00000.label.npy").tolist() == list(range(9))


def test_numpy_reads_the_archives(tmp_path):
    root = made.write(tmp_path / "a", made.arrays(), "npz")
    with np.load(root / "shard-00000.npz") as archive:
        assert archive["003.label"] == 3
        np.testing.assert_array_equal(archive["003.array"], made.arrays()[3].components["array"])


def test_stacks_need_the_same_components_in_all_samples(tmp_path):
    samples = [Sample("a", {"x": 1, "y": 2}), Sample("b", {"x": 1})]
    with pytest.raises(ArgumentError, match="the same ones in all samples"):
        made.write(tmp_path / "a", samples, "npy")


@pytest.mark.parametrize("to", ["npy", "npz"])
@pytest.mark.parametrize("first", [0, 1 << 70])
def test_numbers_of_more_than_64_bits_are_refused(tmp_path, to, first):
    samples = [Sample("a", {"x": first}), Sample("b", {"x": -(1 << 70)})]
    source = made.write(tmp_path / "source", samples)
    with pytest.raises(ArgumentError, match=r"the component 'x' is .*, which no array of real"):
        convert(source, tmp_path / "out", to=to)
