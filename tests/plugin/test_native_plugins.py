"""Plugins of compiled operators: what programs that load some are told."""

from __future__ import annotations

import pytest

from penstock import PenstockError, plugin_manager, sysconfig


@pytest.mark.parametrize("load", [plugin_manager.load_library, plugin_manager.load_directory])
def test_a_library_is_refused_with_what_takes_its_place(load):
    with pytest.raises(
        PenstockError, match=r"^libdali_my\.so: .* see docs/extending\.md"
    ) as caught:
        load("libdali_my.so", global_symbols=True)
    assert isinstance(caught.value, RuntimeError)  # as DALI's


@pytest.mark.parametrize("ask", [sysconfig.get_include_dir, sysconfig.get_lib_dir])
def test_there_are_no_headers(ask):
    with pytest.raises(PenstockError, match="classes of Python"):
        ask()
