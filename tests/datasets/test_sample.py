"""Samples and their keys."""

from __future__ import annotations

import pytest

from penstock.datasets.sample import check_key
from penstock.engine.errors import ArgumentError


@pytest.mark.parametrize("key", ["a", "a/b.c", "schön/日本 1"])
def test_paths_are_keys(key):
    check_key(key)


@pytest.mark.parametrize("key", ["", "/a", "a/", "a//b", "..", "a/../b", "./a", "a\nb", "a\0"])
def test_other_texts_are_no_keys(key):
    with pytest.raises(ArgumentError, match="no relative path"):
        check_key(key)
