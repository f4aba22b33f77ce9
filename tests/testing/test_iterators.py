"""The suite of iterators fails for iterators that break one of its rules."""

from __future__ import annotations

from inspect import signature

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.plugin.arrays import GenericIterator
from penstock.testing.iterators import IteratorConformance

TESTS = {
    name: getattr(IteratorConformance, name)
    for name in vars(IteratorConformance)
    if name.startswith("test_")
}


@pytest.fixture
def files(tmp_path):
    for i in range(12):
        (tmp_path / f"{i:02}").write_bytes(bytes([i]))
    return sorted(map(str, tmp_path.iterdir()))


class Copying(GenericIterator):
    def convert(self, name, output, count):
        return super().convert(name, output, count).copy()


class Whole(GenericIterator):
    """Hands out padding, too."""

    def convert(self, name, output, count):
        return super().convert(name, output, len(output))


class Widening(GenericIterator):
    def convert(self, name, output, count):
        return super().convert(name, output, count).astype(np.float64)


class Reusing(GenericIterator):
    """Writes each batch over the one before."""

    memory = np.zeros((4, 50_000), np.float32)

    def convert(self, name, output, count):
        self.memory[:] = super().convert(name, output, count)
        return self.memory


class Keeping(GenericIterator):
    """Drops no batch."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.kept = []

    def convert(self, name, output, count):
        self.kept.append(super().convert(name, output, count))
        return self.kept[-1]


class Cutting(GenericIterator):
    """Cuts samples of several shapes, without a word."""

    def convert(self, name, output, count):
        rows = [output.as_cpu().at(i) for i in range(count)]
        return np.stack([row[:1] if row.ndim else row for row in rows])


class Hiding(GenericIterator):
    """Replaces the errors of the pipeline."""

    def _run(self):
        try:
            return super()._run()
        except KeyError:
            raise ArgumentError("the pipeline failed") from None


class Forgetting(GenericIterator):
    """Restores nothing."""

    def load_state_dict(self, state_dict):
        pass


class Marking(GenericIterator):
    """Says of padding that it is valid."""

    def convert(self, name, output, count):
        array = super().convert(name, output, count)
        return np.ones_like(array) if name == "valid" else array


class Guessing(GenericIterator):
    """Has the length of an epoch without its last batch."""

    def __len__(self):
        return super().__len__() - 1


class Listing(GenericIterator):
    def __init__(self, *args, batch_form="list", **options):
        super().__init__(*args, **options)


class Mixing(GenericIterator):
    """Gives the batches of the first pipeline to all."""

    def _run(self):
        outputs = super()._run()
        return outputs and [outputs[0]] * len(outputs)


@pytest.mark.parametrize(
    ("iterator", "test", "arguments"),
    [
        (Copying, "test_a_batch_and_a_part_of_one_are_not_copied", {"size": 4}),
        (Whole, "test_a_batch_and_a_part_of_one_are_not_copied", {"size": 3}),
        (Widening, "test_element_types", {"dtype": "float32"}),
        (Reusing, "test_kept_batches_stay_right", {}),
        (Keeping, "test_memory_is_flat_over_a_thousand_batches", {}),
        (Cutting, "test_samples_of_several_shapes", {}),
        (Hiding, "test_errors_have_the_text_and_the_place_in_the_pipeline", {}),
        (Forgetting, "test_a_state_goes_on_in_the_middle_of_an_epoch", {}),
        (Marking, "test_valid_marks_padding", {}),
        (
            Guessing,
            "test_the_last_batch_and_the_length_of_three_epochs",
            {"policy": "partial", "last": [[4, 5]]},
        ),
        (
            Whole,
            "test_the_last_batch_and_the_length_of_three_epochs",
            {"policy": "partial", "last": [[4, 5]]},
        ),
        (Listing, "test_forms_of_a_batch", {}),
        (Mixing, "test_a_dictionary_a_pipeline", {}),
        (Cutting, "test_shapes_may_change_from_batch_to_batch", {}),
    ],
)
def test_a_wrong_iterator_fails(files, iterator, test, arguments):
    class Suite(IteratorConformance):
        tensor = np.ndarray

    if "files" in signature(TESTS[test]).parameters:
        arguments = {"files": files, **arguments}
    Suite.iterator = GenericIterator
    TESTS[test](Suite(), **arguments)
    Suite.iterator = iterator
    with pytest.raises((AssertionError, ArgumentError, pytest.fail.Exception, KeyError, TypeError)):
        TESTS[test](Suite(), **arguments)


def test_each_rule_is_broken_by_an_iterator():
    (cases,) = (mark.args[1] for mark in test_a_wrong_iterator_fails.pytestmark)
    assert {test for _, test, _ in cases} == set(TESTS)
