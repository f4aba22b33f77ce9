"""The keyword arguments that all iterators accept, and their meanings."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, get_type_hints

import numpy as np
import pytest

from penstock import ArgumentError, Pipeline, fn
from penstock.plugin.arrays import ClassificationIterator, GenericIterator, LastBatchPolicy
from penstock.plugin.base_iterator import BaseIterator
from penstock.plugin.options import EpochArguments, EpochOptions

from .conftest import Feed, Numbers


def test_both_lists_of_the_options_agree() -> None:
    assert get_type_hints(EpochArguments) == get_type_hints(EpochOptions)
    assert {field.name for field in fields(EpochOptions)} == set(EpochArguments.__annotations__)


@pytest.mark.parametrize(
    ("value", "meaning"),
    [(True, True), ("yes", True), ("True", True), (False, False), ("no", False), (None, False)],
)
def test_auto_reset(value: Any, meaning: bool) -> None:
    assert EpochOptions(auto_reset=value).resets_itself() is meaning


@pytest.mark.parametrize("value", ["maybe", "", 1, 3.0])
def test_other_auto_reset(value: Any) -> None:
    with pytest.raises(ArgumentError, match="auto_reset must be"):
        EpochOptions(auto_reset=value).resets_itself()


@pytest.mark.parametrize(
    ("fill", "policy"), [(True, LastBatchPolicy.FILL), (False, LastBatchPolicy.PARTIAL)]
)
def test_fill_last_batch_is_deprecated(fill: bool, policy: LastBatchPolicy) -> None:
    options = EpochOptions(last_batch_policy=LastBatchPolicy.DROP, fill_last_batch=fill)
    with pytest.warns(DeprecationWarning, match="use last_batch_policy"):
        assert options.policy() is policy


def test_a_policy_of_another_type() -> None:
    with pytest.raises(ArgumentError, match="must be a LastBatchPolicy, not False"):
        EpochOptions(last_batch_policy=False).policy()  # type: ignore[arg-type]


def test_an_unknown_option_is_named(feed: Feed) -> None:
    with pytest.raises(TypeError, match="auto_rest"):
        GenericIterator(feed([np.ones(4)]), ["x"], auto_rest=True)  # type: ignore[call-arg]


def test_valid_marks_padding_and_is_cut_with_a_partial_batch(numbers: Numbers) -> None:
    for policy, last in ((LastBatchPolicy.FILL, [True, False]), (LastBatchPolicy.PARTIAL, [True])):
        pipeline = numbers(3, 2, pad_last_batch=True)
        iterator = GenericIterator(
            pipeline, ["label"], reader_name="Reader", last_batch_policy=policy, with_valid=True
        )
        valid = [batch["valid"] for (batch,) in iterator]
        assert [rows.tolist() for rows in valid] == [[True, True], last]
        assert {rows.dtype for rows in valid} == {np.dtype(bool)}


def test_valid_marks_replacement_samples(bad_files: dict[str, Any]) -> None:
    good, bad = bad_files["png_named_jpg"].path, bad_files["jpeg_half"].path
    with Pipeline(2, num_threads=1, on_error="replace") as pipeline:
        encoded, label = fn.readers.file(files=[good, bad], name="Reader")
        pipeline.set_outputs(fn.resize(fn.decoders.image(encoded), size=8), label)
        iterator = ClassificationIterator(pipeline, reader_name="Reader", with_valid=True)
        (batch,) = next(iterator)
    assert batch["valid"].tolist() == [True, False]


def test_changing_valid_changes_nothing_else(feed: Feed) -> None:
    iterator = GenericIterator(feed([np.ones(4), np.ones(4)]), ["x"], with_valid=True)
    (first,) = next(iterator)
    first["valid"][:] = False
    assert next(iterator)[0]["valid"].all()


def test_an_output_cannot_have_the_name_of_valid_as_well(feed: Feed) -> None:
    with pytest.raises(ArgumentError, match="adds 'valid', a name that output_map has"):
        GenericIterator(feed([np.ones(4)]), ["valid"], with_valid=True)


def test_a_framework_that_refuses_partial_batches(feed: Feed) -> None:
    class Lists(BaseIterator[list[Any]]):
        allows_partial = False

        def convert(self, name: str, output: Any, count: int) -> list[Any]:
            return [output.at(i).tolist() for i in range(count)]

    assert next(Lists(feed([np.arange(4)]), ["x"]))[0]["x"] == [0, 1, 2, 3]
    with pytest.raises(ArgumentError, match=r"Lists has no LastBatchPolicy\.PARTIAL"):
        Lists(feed([np.arange(4)]), ["x"], last_batch_policy=LastBatchPolicy.PARTIAL)
