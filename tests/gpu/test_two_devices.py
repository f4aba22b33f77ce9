"""Pipelines on two devices of one machine, in one process and beside others."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.tests.checkout import SOURCES

pytestmark = pytest.mark.gpu


@pytest.fixture(autouse=True)
def two_devices(cupy: Any) -> None:
    if cupy.cuda.runtime.getDeviceCount() < 2:
        pytest.skip("there is one device")


def pictures(folder: str, device_id: int) -> Pipeline:
    """Return a pipeline of resized images and of what the CPU has made."""
    with Pipeline(batch_size=8, num_threads=2, device_id=device_id, seed=1) as pipe:
        encoded, labels = fn.readers.file(file_root=folder, name="files")
        images = fn.decoders.image(encoded, device="mixed")
        crops = fn.random_resized_crop(images, size=(64, 64))
        small = fn.resize(fn.decoders.image(encoded), size=(16, 16))
        pipe.set_outputs(crops, small.gpu(), labels.gpu())
    return pipe


def rows(outputs: Any) -> list[Any]:
    return [output.as_cpu().as_array() for output in outputs]


def test_two_pipelines_give_the_same(photo_tree: Any) -> None:
    with pictures(photo_tree.root, 0) as first, pictures(photo_tree.root, 1) as second:
        for _ in range(6):
            ours, theirs = first.run(), second.run()
            outputs: Any = (*ours, *theirs)
            assert [output.device_id() for output in outputs] == [0, 0, 0, 1, 1, 1]
            for one, other in zip(rows(ours), rows(theirs), strict=True):
                np.testing.assert_array_equal(one, other)


def test_a_process_moves_to_the_other_device_and_back(photo_tree: Any) -> None:
    found = []
    for device_id in (0, 1, 0):
        with pictures(photo_tree.root, device_id) as pipe:
            found.append([rows(pipe.run()) for _ in range(3)])
    for others in found[1:]:
        for ours, theirs in zip(found[0], others, strict=True):
            for one, other in zip(ours, theirs, strict=True):
                np.testing.assert_array_equal(one, other)


ON_ONE_DEVICE = """\
import ctypes, gc, sys
import numpy as np
from penstock import Pipeline, fn
from penstock.tests.gpu.test_two_devices import pictures, rows

def has_context(device):
    flags, active = ctypes.c_uint(), ctypes.c_int()
    driver = ctypes.CDLL("libcuda.so.1")
    driver.cuDevicePrimaryCtxGetState(device, ctypes.byref(flags), ctypes.byref(active))
    return bool(active.value)

folder, form = sys.argv[1:]
if form == "torch":
    import torch
    from penstock.plugin.pytorch import DALIGenericIterator

    torch.cuda.set_device(1)
    names = ["crops", "small", "labels"]
    with DALIGenericIterator(pictures(folder, 1), names, reader_name="files") as batches:
        sums = [float(batch[0]["crops"].double().sum()) for batch in batches]
else:
    with pictures(folder, 1) as pipe:
        sums = [sum(array.astype(float).sum() for array in rows(pipe.run())) for _ in range(6)]
        held = pipe.run()
    if form == "large":
        with Pipeline(batch_size=4, num_threads=2, device_id=1) as pipe:
            numbers = fn.external_source(lambda k: np.full((4, 1 << 22), k % 200, np.uint8))
            pipe.set_outputs((numbers.gpu() + 1).gpu())
            for k in range(20):
                last = pipe.run()[0]
        assert (last.as_cpu().as_array() == 20).all()
        del last
    del held
pipe = batches = sums = None
gc.collect()
assert has_context(1)
assert not has_context(0), "a context on the device that nobody uses"
print("fine")
"""


@pytest.mark.parametrize("form", ["plain", "large", "torch"])
def test_the_other_device_has_no_context(photo_tree: Any, tmp_path: Path, form: str) -> None:
    if form == "torch":
        pytest.importorskip("torch")
    program = tmp_path / "program.py"
    program.write_text(ON_ONE_DEVICE)
    done = subprocess.run(
        [sys.executable, str(program), str(photo_tree.root), form],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(SOURCES), *sys.path[1:]])},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.stdout == "fine\n", done.stderr[-3000:]
