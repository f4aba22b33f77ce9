"""What the tests of audio operators share."""

from __future__ import annotations

import fcntl
from types import ModuleType

import numpy as np
import pytest


@pytest.fixture(scope="session")
def librosa(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """The library; one of the processes that run tests compiles its functions for all of them.

    To compile them takes half a minute, and longer in several processes at once. Numba keeps what
    it has compiled on the disk.
    """
    module: ModuleType = pytest.importorskip("librosa")
    with (tmp_path_factory.getbasetemp().parent / "librosa.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        module.feature.mfcc(y=np.ones(4096, np.float32))  # uses all of them
    return module
