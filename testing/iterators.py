"""What every iterator for a framework must do, as a test class that its tests inherit.

The pipelines of the suite read files, or are fed with arrays. The tests look at tensors by two
methods: `to_numpy` makes an array of a tensor, and `address` tells where a tensor lies in memory.
"""

from __future__ import annotations

import gc
import json
import os
from collections.abc import Iterable, Mapping
from itertools import chain, islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import pytest

from .. import fn
from ..engine.arrays import Array
from ..engine.errors import ArgumentError
from ..engine.pipeline.pipeline import Pipeline
from ..engine.tensors import TensorList
from ..engine.tensors.dtypes import ELEMENT_TYPES, to_numpy_type
from ..plugin.base_iterator import AnyIterator

__all__ = ["IteratorConformance"]

DTYPES = tuple(sorted(to_numpy_type(dtype).name for dtype in ELEMENT_TYPES))
FILES = 12
FLAT = 40 << 20
"""Bytes that memory may grow by in 1,000 batches of 400 kB, which are ten times as much."""


class IteratorConformance:
    """Inherit it, and name the iterator and what its framework makes of outputs.

    Attributes:
        iterator: class of the iterator, which derives from `BaseIterator`.
        tensor: class of the tensors that it hands out.
        dtypes: the types of elements that the framework changes: the output's name in NumPy, and
            the tensor's. None is a type that is refused.
        copies: whether tensors have memory of their own. Otherwise `address` must tell that they
            share the memory of the outputs.
        ragged: whether samples of several shapes make a tensor, whose rows are the samples.
        arguments: of the iterator, beside those of all iterators.
    """

    iterator: ClassVar[type[AnyIterator]]
    tensor: ClassVar[type]
    dtypes: ClassVar[Mapping[str, str | None]] = MappingProxyType({})
    copies: ClassVar[bool] = False
    ragged: ClassVar[bool] = False
    arguments: ClassVar[Mapping[str, Any]] = MappingProxyType({})

    def to_numpy(self, tensor: Any) -> Array:
        """Return a tensor as an array."""
        return np.asarray(tensor)

    def address(self, tensor: Any) -> int:
        """Return where the elements of a tensor begin in memory."""
        return int(self.to_numpy(tensor).__array_interface__["data"][0])

    @pytest.fixture
    def files(self, tmp_path: Path) -> list[str]:
        """Files of which file i holds the byte i."""
        for i in range(FILES):
            (tmp_path / f"{i:02}").write_bytes(bytes([i]))
        return [str(tmp_path / f"{i:02}") for i in range(FILES)]

    def numbers(self, files: list[str], batch_size: int, **reader: Any) -> Pipeline:
        """Return a pipeline of the number of each file, int32 of shape (batch, 1)."""
        with Pipeline(batch_size, num_threads=1, seed=1) as pipeline:
            _, number = fn.readers.file(files=files, name="Reader", **reader)
            pipeline.set_outputs(number)
        return pipeline

    def fed(self, *batches: Any) -> Pipeline:
        """Return a pipeline of the given batches, over and over."""
        with Pipeline(len(batches[0]), num_threads=1) as pipeline:
            pipeline.set_outputs(fn.external_source(batches, cycle="quiet"))
        return pipeline

    def over(self, pipelines: Any, **arguments: object) -> Any:
        """Return an iterator that hands out dictionaries with the entry "x"."""
        form = "list" if isinstance(pipelines, list) else "dict"
        given = {"batch_form": form, **self.arguments, **arguments}
        return self.iterator(pipelines, ["x"], **given)

    def values(self, batches: Iterable[Any]) -> list[list[int]]:
        """Return the numbers in each batch of a loop."""
        return [self.to_numpy(batch["x"]).ravel().tolist() for batch in batches]

    def test_a_dictionary_a_pipeline(self, files: list[str]) -> None:
        shards = [self.numbers(files[:8], 2, shard_id=rank, num_shards=2) for rank in (0, 1)]
        with self.over(shards, reader_name="Reader") as iterator:
            steps = list(iterator)
        joined = self.iterator.joins_pipelines
        for batches, expected in zip(steps, ([0, 1, 4, 5], [2, 3, 6, 7]), strict=True):
            assert [list(batch) for batch in batches] == [["x"]] * (1 if joined else 2)
            assert all(isinstance(batch["x"], self.tensor) for batch in batches)
            assert list(chain.from_iterable(self.values(batches))) == expected

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_element_types(self, dtype: str) -> None:
        made = self.dtypes.get(dtype, dtype)
        held = dtype if made is None or np.dtype(made).itemsize > np.dtype(dtype).itemsize else made
        numeric = np.dtype(held).kind in "iu"
        least, most = (np.iinfo(held).min, np.iinfo(held).max) if numeric else (0, 1)
        rows = np.array([[0, 1], [least, most]], dtype)
        with self.over(self.fed(rows)) as iterator:
            if made is None:
                with pytest.raises(ArgumentError, match=rf"'x'.*{dtype}"):
                    next(iterator)
                return
            tensor = next(iterator)["x"]
        array = self.to_numpy(tensor)
        assert array.dtype == made
        np.testing.assert_array_equal(array, rows)

    @pytest.mark.parametrize("size", [4, 3])
    def test_a_batch_and_a_part_of_one_are_not_copied(self, size: int) -> None:
        if self.copies:
            pytest.skip("the iterator copies")
        given: list[int] = []

        def convert(watched: Any, name: str, output: TensorList, count: int) -> Any:
            given.append(int(np.asarray(output.as_cpu()[0]).__array_interface__["data"][0]))
            return self.iterator.convert(watched, name, output, count)

        watching = type("Watched", (self.iterator,), {"convert": convert})
        policy = "partial" if self.iterator.allows_partial else "fill"
        rows = np.arange(12, dtype=np.float32).reshape(4, 3)
        options = {"batch_form": "dict", "last_batch_policy": policy, **self.arguments}
        with watching(self.fed(rows), ["x"], size, **options) as iterator:
            tensor = next(iterator)["x"]
        assert len(self.to_numpy(tensor)) == (size if policy == "partial" else 4)
        assert given == [self.address(tensor)]

    def test_kept_batches_stay_right(self) -> None:
        batches = [np.full((4, 50_000), k, np.float32) for k in range(30)]
        with self.over(self.fed(*batches), size=120) as iterator:
            kept = [batch["x"][1:] for batch in iterator]
        del iterator
        gc.collect()
        arrays = [self.to_numpy(tensor) for tensor in kept]
        assert [(array.min(), array.max()) for array in arrays] == [(k, k) for k in range(30)]

    def test_memory_is_flat_over_a_thousand_batches(self) -> None:
        with self.over(self.fed(np.ones((4, 25_000), np.float32))) as iterator:
            for _ in islice(iterator, 50):
                pass
            before = _resident()
            for _ in islice(iterator, 1000):
                pass
            assert _resident() - before < FLAT

    @pytest.mark.parametrize(
        ("policy", "last"),
        [("fill", [[4, 5, 5, 5]]), ("partial", [[4, 5]]), ("drop", [])],
    )
    def test_the_last_batch_and_the_length_of_three_epochs(
        self, files: list[str], policy: str, last: list[list[int]]
    ) -> None:
        pipeline = self.numbers(files[:6], 4, pad_last_batch=True)
        options = {"reader_name": "Reader", "last_batch_policy": policy}
        if policy == "partial" and not self.iterator.allows_partial:
            with pytest.raises(ArgumentError, match=r"no LastBatchPolicy\.PARTIAL"):
                self.over(pipeline, **options)
            return
        with self.over(pipeline, **options) as iterator:
            for _ in range(3):
                assert len(iterator) == 1 + len(last)
                loop = iter(iterator)
                assert len(iterator) == 1 + len(last)
                assert self.values(loop) == [[0, 1, 2, 3], *last]

    def test_a_state_goes_on_in_the_middle_of_an_epoch(self, files: list[str]) -> None:
        def shuffled() -> Any:
            pipeline = self.numbers(files, 2, random_shuffle=True)
            return self.over(pipeline, reader_name="Reader")

        with shuffled() as first, shuffled() as second:
            loop = iter(first)
            start = self.values(islice(loop, 2))
            state = json.loads(json.dumps(first.state_dict()))
            rest = self.values(loop)
            second.load_state_dict(state)
            assert self.values(second) == rest
            assert self.values(second) == self.values(first)  # the next epoch
        assert sorted(chain.from_iterable(start + rest)) == list(range(FILES))

    def test_valid_marks_padding(self, files: list[str]) -> None:
        pipeline = self.numbers(files[:3], 2, pad_last_batch=True)
        with self.over(pipeline, reader_name="Reader", with_valid=True) as iterator:
            valid = [self.to_numpy(batch["valid"]) for batch in iterator]
        assert [array.dtype for array in valid] == [bool, bool]
        assert [array.tolist() for array in valid] == [[True, True], [True, False]]

    def test_samples_of_several_shapes(self) -> None:
        rows = [np.full(length, length, np.float32) for length in (3, 1, 2)]
        with self.over(self.fed(rows)) as iterator:
            if not self.ragged:
                with pytest.raises(ArgumentError, match=r"output 'x'.*\(3,\), \(1,\)"):
                    next(iterator)
                return
            tensor = next(iterator)["x"]
        for row, expected in zip(tensor, rows, strict=True):
            np.testing.assert_array_equal(self.to_numpy(row), expected)

    def test_shapes_may_change_from_batch_to_batch(self) -> None:
        batches = [np.ones((2, extent), np.float32) for extent in (3, 5)]
        with self.over(self.fed(*batches), size=4) as iterator:
            assert [self.to_numpy(batch["x"]).shape for batch in iterator] == [(2, 3), (2, 5)]

    def test_errors_have_the_text_and_the_place_in_the_pipeline(self) -> None:
        def broken(_: Array) -> Array:
            raise KeyError("the third column")

        with Pipeline(2, num_threads=1) as pipeline:
            source = fn.external_source(lambda: np.zeros((2, 3), np.float32))
            pipeline.set_outputs(fn.python_function(source, function=broken))
        with self.over(pipeline) as iterator, pytest.raises(KeyError) as caught:
            next(iterator)
        assert "the third column" in str(caught.value)
        assert any("fn.python_function" in note for note in caught.value.__notes__)

    def test_forms_of_a_batch(self, files: list[str]) -> None:
        """A list of dictionaries, a dictionary, and a tuple in the order of the names."""
        for form in ("list", "dict", "tuple"):
            options = {"reader_name": "Reader", "with_valid": True, "batch_form": form}
            with self.over(self.numbers(files[:2], 2), **options) as iterator:
                batch = next(iterator)
            assert type(batch).__name__ == form
            number, valid = _tensors(batch)
            assert self.to_numpy(number).tolist() == [[0], [1]]
            assert self.to_numpy(valid).tolist() == [True, True]


def _tensors(batch: Any) -> tuple[Any, ...]:
    """Return the tensors of a batch in any form."""
    if isinstance(batch, tuple):
        return batch
    (named,) = batch if isinstance(batch, list) else (batch,)
    return named["x"], named["valid"]


def _resident() -> int:
    """Return the bytes of memory that this process has."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGESIZE")
