"""The names of classes."""

from __future__ import annotations

import pytest

from penstock.datasets.class_names import checked_classes
from penstock.engine.errors import ArgumentError


def test_names_of_classes_come_from_a_mapping():
    assert checked_classes({1: "dog", 0: "cat"}) == ("cat", "dog")
    assert checked_classes(["b", "a c"]) == ("b", "a c")


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        (["a", "a"], "must be different"),
        ([""], "has the name ''"),
        ([".a"], "has the name '.a'"),
        (["a/b"], "without slash"),
        (["/a"], "without slash"),
        (["a\0"], "printable"),
        ([3], "has the name 3"),
        ("abc", "is the text 'abc'"),
        ({0: "a", 2: "b"}, "names no class 1"),
        ({"a": "b"}, "names no class 0"),
        ({-1: "a"}, "names no class 0"),
    ],
)
def test_names_that_are_no_folders_are_refused(classes, message):
    with pytest.raises(ArgumentError, match=message):
        checked_classes(classes)
