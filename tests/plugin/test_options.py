"""The arguments that all iterators accept, and their meanings."""

from __future__ import annotations

import importlib
import inspect
import re
from typing import Any

import numpy as np
import pytest

from penstock import ArgumentError, MissingDependencyError, Pipeline, fn
from penstock.plugin.arrays import ClassificationIterator, GenericIterator, LastBatchPolicy
from penstock.plugin.base_iterator import BaseIterator
from penstock.plugin.options import chosen_policy, resets_itself
from penstock.plugin.two_outputs import TwoOutputs
from penstock.tests.checkout import ROOT

PLUGIN = ROOT / "plugin"
ITERATORS = sorted(
    ".".join(path.relative_to(PLUGIN).with_suffix("").parts)
    for path in PLUGIN.rglob("*.py")
    if re.search(
        r"^class \w+\(.*(BaseIterator|GenericIterator|TwoOutputs)\[", path.read_text(), re.M
    )
)
"""Modules that define iterators."""


@pytest.mark.parametrize(
    ("value", "meaning"),
    [(True, True), ("yes", True), ("True", True), (False, False), ("no", False), (None, False)],
)
def test_auto_reset(value, meaning):
    assert resets_itself(value) is meaning


@pytest.mark.parametrize("value", ["maybe", "", 1, 3.0])
def test_other_auto_reset(value):
    with pytest.raises(ArgumentError, match="auto_reset must be"):
        resets_itself(value)


@pytest.mark.parametrize(
    ("fill", "policy"), [(True, LastBatchPolicy.FILL), (False, LastBatchPolicy.PARTIAL)]
)
def test_fill_last_batch_is_deprecated(fill, policy):
    with pytest.warns(DeprecationWarning, match="use last_batch_policy"):
        assert chosen_policy(LastBatchPolicy.DROP, fill) is policy


@pytest.mark.parametrize("policy", list(LastBatchPolicy))
def test_a_policy_by_its_name(policy):
    for name in (policy.name, policy.name.lower(), policy.name.title()):
        assert chosen_policy(name, None) is policy
    assert chosen_policy(policy, None) is policy


@pytest.mark.parametrize("policy", [False, 1, "last", None])
def test_a_policy_that_is_none(policy):
    allowed = r'"fill" or LastBatchPolicy.FILL, "drop" or LastBatchPolicy.DROP, "partial"'
    with pytest.raises(ArgumentError, match=f"must be a LastBatchPolicy.*{policy!r}.*{allowed}"):
        chosen_policy(policy, None)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("last_batch", "ClassificationIterator has no argument 'last_batch'; did you mean 'last_b"),
        ("output_map", "ClassificationIterator has no argument 'output_map'; there are auto_reset"),
    ],
)
def test_an_unknown_option_is_named_as_of_the_class(feed, name, said):
    with pytest.raises(TypeError, match=said):
        ClassificationIterator(feed([np.ones(4)]), **{name: True})


@pytest.mark.parametrize("iterator", [BaseIterator, GenericIterator, ClassificationIterator])
def test_the_help_describes_each_argument(iterator):
    described = inspect.getdoc(iterator) or ""
    for name in inspect.signature(iterator).parameters:
        assert name == "unknown" or f"\n    {name}: " in described, name
    assert ("output_map:" in described) is (iterator is not ClassificationIterator)


@pytest.mark.filterwarnings("ignore:No ccache found")  # Paddle
@pytest.mark.parametrize("module", ITERATORS)
def test_each_iterator_takes_the_arguments_of_all(module):
    """Constructors pass on what `BaseIterator` takes; one that lacks an argument fails here."""
    try:
        names = vars(importlib.import_module(f"penstock.plugin.{module}"))
    except MissingDependencyError as error:
        pytest.skip(str(error))
    shared = inspect.signature(BaseIterator).parameters
    iterators = [value for value in names.values() if inspect.isclass(value)]
    iterators = {value for value in iterators if issubclass(value, BaseIterator)} - {BaseIterator}
    assert iterators
    for iterator in iterators:
        own = inspect.signature(iterator).parameters
        two = "Classification" in iterator.__name__ or iterator is TwoOutputs
        assert shared.keys() - own.keys() == ({"output_map"} if two else set()), iterator
        differing = {
            name for name in shared if name in own and own[name].default != shared[name].default
        }
        assert differing <= {"batch_form"}, iterator  # "dict" for JAX


def test_valid_marks_padding_and_is_cut_with_a_partial_batch(numbers):
    for policy, last in ((LastBatchPolicy.FILL, [True, False]), (LastBatchPolicy.PARTIAL, [True])):
        pipeline = numbers(3, 2, pad_last_batch=True)
        iterator = GenericIterator(
            pipeline, ["label"], reader_name="Reader", last_batch_policy=policy, with_valid=True
        )
        valid = [batch["valid"] for (batch,) in iterator]
        assert [rows.tolist() for rows in valid] == [[True, True], last]
        assert {rows.dtype for rows in valid} == {np.dtype(bool)}


def test_valid_marks_replacement_samples(bad_files):
    good, bad = bad_files["png_named_jpg"].path, bad_files["jpeg_half"].path
    with Pipeline(2, num_threads=1, on_error="replace") as pipeline:
        encoded, label = fn.readers.file(files=[good, bad], name="Reader")
        pipeline.set_outputs(fn.resize(fn.decoders.image(encoded), size=8), label)
        iterator = ClassificationIterator(pipeline, reader_name="Reader", with_valid=True)
        (batch,) = next(iterator)
    assert batch["valid"].tolist() == [True, False]


def test_changing_valid_changes_nothing_else(feed):
    iterator = GenericIterator(feed([np.ones(4), np.ones(4)]), ["x"], with_valid=True)
    (first,) = next(iterator)
    first["valid"][:] = False
    assert next(iterator)[0]["valid"].all()


def test_an_output_cannot_have_the_name_of_valid_as_well(feed):
    with pytest.raises(ArgumentError, match="adds 'valid', a name that output_map has"):
        GenericIterator(feed([np.ones(4)]), ["valid"], with_valid=True)


def test_a_framework_that_refuses_partial_batches(feed):
    class Lists(BaseIterator[list[Any]]):
        allows_partial = False

        def convert(self, name, output, count):
            return [output.at(i).tolist() for i in range(count)]

    assert next(Lists(feed([np.arange(4)]), ["x"]))[0]["x"] == [0, 1, 2, 3]
    with pytest.raises(ArgumentError, match=r"Lists has no LastBatchPolicy\.PARTIAL"):
        Lists(feed([np.arange(4)]), ["x"], last_batch_policy=LastBatchPolicy.PARTIAL)
