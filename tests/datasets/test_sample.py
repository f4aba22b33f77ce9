"""Samples and their keys."""

from __future__ import annotations

import pytest

from penstock.datasets.sample import Encoded, Sample, check_key, check_names
from penstock.engine.errors import ArgumentError


@pytest.mark.parametrize("key", ["a", "a/b.c", "schön/日本 1"])
def test_paths_are_keys(key):
    check_key(key)


@pytest.mark.parametrize("key", ["", "/a", "a/", "a//b", "..", "a/../b", "./a", "a\nb", "a\0"])
def test_other_texts_are_no_keys(key):
    with pytest.raises(ArgumentError, match="no relative path"):
        check_key(key)


def sample(extension):
    return Sample("a", {"image": Encoded(b"..", extension), "text": "../a"})


@pytest.mark.parametrize("extension", ["jpg", "", "é", " final"])
def test_extensions(extension):
    check_names(sample(extension))


@pytest.mark.parametrize("extension", ["/../../a", "/a", "..", ".", "a.b", "a\0", "a\nb", "jpg "])
def test_other_texts_are_no_extensions(extension):
    with pytest.raises(ArgumentError, match="component 'image' has the extension"):
        check_names(sample(extension))
