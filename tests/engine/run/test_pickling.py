"""`penstock.pickling`."""

from __future__ import annotations

import pytest

from penstock.engine.run.pickling import is_marked, pickle_by_value


def test_functions_are_marked_and_stay_as_they_are():
    def function():
        return 5

    assert not is_marked(function)
    assert pickle_by_value(function) is function
    assert is_marked(function)
    assert function() == 5


@pytest.mark.parametrize("other", [len, int, 5, object()])
def test_only_functions_of_python_are_marked(other):
    with pytest.raises(TypeError, match="functions of Python"):
        pickle_by_value(other)
