"""Components as files."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.datasets import Encoded
from penstock.datasets.component_files import (
    component_of,
    components_of,
    file_of,
    quoted_key,
    unquoted_key,
)
from penstock.engine.errors import ArgumentError, DecodeError

VALUES = [
    ("image", Encoded(b"..", "jpeg"), "jpeg"),
    ("left", Encoded(b"..", "png"), "left.png"),
    ("json", Encoded(b"{}", "json"), "json"),
    ("data", Encoded(b"..", ""), ""),
    ("label", -7, "cls"),
    ("count", 12345678901234567890, "count.cls"),
    ("text", "hällo", "txt"),
    ("a.b/c", "x", "a%2Eb%2Fc.txt"),
    ("array", np.zeros((2, 3), ">f4"), "npy"),
    ("boxes", np.zeros((0, 4), np.float32), "boxes.npy"),
    ("duration", 1.5, "duration.npy"),
]


@pytest.mark.parametrize(("name", "value", "suffix"), VALUES, ids=[v[0] for v in VALUES])
def test_a_component_comes_back_from_its_file(name, value, suffix):
    assert file_of(name, value)[0] == suffix
    stored_name, decode = component_of(suffix)
    read = decode(memoryview(file_of(name, value)[1]))
    assert stored_name == name
    if isinstance(value, np.ndarray):
        np.testing.assert_array_equal(read, value)
        assert read.shape == value.shape
    else:
        assert read == value
        assert type(read) is type(value)


def test_endings_in_capitals_become_small():
    assert file_of("image", Encoded(b"..", "JPEG"))[0] == "jpeg"
    name, decode = component_of("JPEG")
    assert (name, decode(b"..")) == ("image", Encoded(b"..", "jpeg"))
    assert component_of("CLS")[0] == "label"


def test_extensions_with_another_meaning_are_refused():
    with pytest.raises(ArgumentError, match="rename the component"):
        file_of("x", Encoded(b"", "npy"))


@pytest.mark.parametrize(
    ("suffix", "content"), [("cls", b"x"), ("txt", b"\xff"), ("npy", b"\x93NUMPY")]
)
def test_damaged_files_are_named(suffix, content):
    with pytest.raises(DecodeError, match=rf"here: \.{suffix}: "):
        components_of([suffix], iter([np.frombuffer(content, np.uint8)]), lambda: "here")


@pytest.mark.parametrize("key", ["a", "a.b/c.d", "%2E", "a%/b.%41", "x/y z"])
def test_quoted_keys_hold_no_dot_in_the_name_and_come_back(key):
    assert "." not in quoted_key(key).rpartition("/")[2]
    assert unquoted_key(quoted_key(key)) == key
