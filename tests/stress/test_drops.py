"""A short soak: dropped pipelines of all kinds leave nothing behind."""

from __future__ import annotations

import sys

import pytest

from ..interpreters import output_of

SOAK = """
import warnings
warnings.simplefilter("ignore")
from penstock.tests.stress import drops
drops.make_files()
print(drops.soak(1.0, 0, warm_up=1))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the census needs /proc")
def test_dropped_pipelines_leave_nothing(tmp_path):
    assert int(output_of(SOAK, tmp_path)) > 0
