"""MXNet: what a program is told that imports its iterators."""

from __future__ import annotations

import importlib

import pytest

from penstock import MissingDependencyError


@pytest.mark.parametrize("_", range(2))  # a failed import leaves nothing behind
def test_the_import_says_what_there_is_instead(_):
    with pytest.raises(MissingDependencyError, match=r"NumPy below 1\.24.* fn\.readers\.mxnet"):
        importlib.import_module("penstock.plugin.mxnet")
