"""Pipelines of the CPU need none of the calls that Linux alone has, as far as Linux can show it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from penstock.tests.checkout import SOURCES

# Every interpreter imports `sitecustomize` when it starts: those of child processes, too.
ELSEWHERE = """
import mmap, os, select

names = {
    os: "memfd_create O_DIRECT posix_fadvise POSIX_FADV_WILLNEED RWF_NOWAIT sched_getaffinity "
    "sched_setaffinity sendfile splice copy_file_range eventfd pidfd_open",
    mmap: "MADV_REMOVE MADV_HUGEPAGE MADV_POPULATE_WRITE MAP_NORESERVE MAP_POPULATE",
    select: "epoll POLLRDHUP",
}
for module, listed in names.items():
    for name in listed.split():
        if hasattr(module, name):
            delattr(module, name)
"""
PROGRAM = """
import os, sys
import numpy as np
from penstock import fn, pipeline_def
from penstock.engine.processes import helper_processes

assert not hasattr(os, "memfd_create")
helper_processes.WORTH_STARTING_SECONDS = 0.0

def negative(image):
    assert not hasattr(os, "memfd_create")
    return 255 - image

@pipeline_def(batch_size=8, num_threads=2, py_num_workers=1)
def training(folder):
    encoded, labels = fn.readers.file(file_root=folder, random_shuffle=True)
    images = fn.resize(fn.decoders.image(encoded), size=(8, 8))
    return fn.python_function(images, function=negative, parallel=True), labels

@pipeline_def(batch_size=4, num_threads=2)
def arrays(folder):
    options = {"file_root": folder, "file_filter": "*.npy"}
    data = fn.readers.numpy(**options)
    part = fn.readers.numpy(roi_start=(1, 1, 0), roi_end=(3, 4, 3), **options)
    return fn.cast(data, dtype=np.float32), part, fn.readers.numpy(use_o_direct=True, **options)

if __name__ == "__main__":
    images, files = sys.argv[1:]
    found = {}
    for processes in (False, True):
        with training(images, exec_processes=processes, seed=5) as pipe:
            found[processes] = [pipe.run()[0].as_array() for _ in range(6)]
        with arrays(files, exec_processes=processes) as pipe:
            for _ in range(3):
                for output in pipe.run():
                    assert [int(row.flat[0]) for row in output.rows()] == [0, 1, 2, 3]
            print(pipe.stats().workers)
    assert all(map(np.array_equal, found[False], found[True]))
"""


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_threads_and_processes_need_no_call_of_linux(photo_tree, tmp_path):
    import numpy as np

    (tmp_path / "sitecustomize.py").write_text(ELSEWHERE)
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    folder = tmp_path / "arrays"
    folder.mkdir()
    for number in range(4):
        np.save(folder / f"{number}.npy", np.full((6, 7, 3), number, np.uint8))
    result = subprocess.run(
        [sys.executable, program, photo_tree.root, folder],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(SOURCES)])},
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == ["threads", "processes"]
