"""Pipelines work where `/proc` is hidden, as some sandboxes and containers hide the folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

from penstock.tests.checkout import SOURCES

HIDE = 'mount -t tmpfs none /proc && exec "$@"'
SCRIPT = """
import os, sys
import numpy as np
from penstock import fn, pipeline_def

@pipeline_def(batch_size=4, num_threads=2)
def arrays(folder):
    data = fn.readers.numpy(file_root=folder, file_filter="*.npy")
    return fn.resize(fn.cast(data, dtype=np.float32), size=(3, 5)), data

assert os.listdir("/proc") == []
for processes in (False, True):
    with arrays(sys.argv[1], exec_processes=processes) as pipe:
        for _ in range(3):
            resized, data = pipe.run()
        assert [int(row[0, 0, 0]) for row in data.rows()] == [8, 9, 10, 11], data
        assert resized.shape() == [(3, 5, 3)] * 4
        print(pipe.stats().workers)
"""


@pytest.fixture
def hide():
    """The command that hides `/proc` from its arguments."""
    command = ["unshare", "--mount", "sh", "-c", HIDE, "sh"]
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("only root can hide /proc")
    if subprocess.run([*command, "true"], capture_output=True).returncode:
        pytest.skip("this machine does not allow to hide /proc")
    return command


def test_threads_and_processes_need_no_proc(hide, tmp_path):
    for number in range(12):
        np.save(tmp_path / f"{number:02}.npy", np.full((6, 7, 3), number, np.uint8))
    result = subprocess.run(
        [*hide, sys.executable, "-W", "error", "-c", SCRIPT, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=200,
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
    )
    assert result.stderr == ""
    assert result.stdout.split() == ["threads", "processes"]
