"""`RayReader`: the same batches with any number of helpers, also if one is killed."""

from __future__ import annotations

import os
import signal

import numpy as np
import pytest

pytest.importorskip("ray", reason="Ray is not installed")
pytest.importorskip("ray.data", reason="Ray Data is not installed")

from penstock import ArgumentError, Pipeline, fn
from penstock.plugin.ray import RayReader

from ..every_order import ORDERS, written

pytestmark = [
    pytest.mark.filterwarnings("default"),
    pytest.mark.timeout(600),
    pytest.mark.usefixtures("cluster"),
]
ANYWHERE = {"num_cpus": 0}


def photos(folder):
    def define():
        with Pipeline(3, 1, seed=7, exec_processes=False) as pipe:
            encoded, labels = fn.readers.file(
                file_root=str(folder), random_shuffle=True, name="photos", pad_last_batch=True
            )
            images = fn.random_resized_crop(fn.decoders.image(encoded), size=(8, 8))
            pipe.set_outputs(images, labels, encoded)
        return pipe

    return define


def content(batch):
    """Return shapes and bytes of the outputs."""
    return [[(row.shape, row.dtype, row.tobytes()) for row in output] for output in batch]


def taken(reader, count):
    return [content(next(reader)) for _ in range(count)]


@pytest.mark.parametrize("helpers", [1, 8])
def test_any_number_of_helpers_gives_the_same_batches(helpers, photo_tree):
    define = photos(photo_tree.root)
    with RayReader(define, 0) as alone:
        wanted = taken(alone, 50)  # of two epochs
    with RayReader(define, helpers, ray_remote_args=ANYWHERE) as reader:
        assert taken(reader, 50) == wanted


def test_a_helper_that_is_killed_costs_no_sample(photo_tree):
    define = photos(photo_tree.root)
    with RayReader(define, 0) as alone:
        wanted = taken(alone, 40)
    with RayReader(define, 2, ray_remote_args=ANYWHERE) as reader:
        batches = taken(reader, 3)
        pid = pid_of(reader)
        os.kill(pid, signal.SIGKILL)
        assert batches + taken(reader, 37) == wanted
        assert pid_of(reader) != pid


def pid_of(reader):
    import ray

    return ray.get(reader._helpers[0].__ray_call__.remote(lambda self: os.getpid()))


@pytest.mark.parametrize("name", ["mix", "batch_cost", "pack"])
def test_orders_and_checkpoints(name, tmp_path):
    written(tmp_path)

    def define():
        with Pipeline(16 if name == "batch_cost" else 3, 1, seed=1, exec_processes=False) as pipe:
            pipe.set_outputs(ORDERS[name](tmp_path, random_shuffle=True))
        return pipe

    with RayReader(define, 0) as alone, RayReader(define, 1, ray_remote_args=ANYWHERE) as reader:
        assert taken(reader, 5) == taken(alone, 5)
        assert reader.checkpoint() == alone.checkpoint()
        wanted, saved = taken(alone, 20), reader.checkpoint()
        taken(reader, 2)
        reader.restore(saved)
        assert taken(reader, 20) == wanted


def test_what_cannot_be_computed_by_helpers_says_so(photo_tree):
    def fed():
        with Pipeline(2, 1) as pipe:
            pipe.set_outputs(fn.external_source(lambda: np.zeros((2, 1)), batch=True))
        return pipe

    with pytest.raises(ArgumentError, match="0 with external sources"):
        RayReader(fed)
    with pytest.raises(ArgumentError, match="helpers=-1"):
        RayReader(photos(photo_tree.root), -1)
