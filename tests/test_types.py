"""What type checkers tell the author of a program."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from penstock.tests.checkout import SOURCES

PROGRAM = '''\
"""A program in which all ways to import Penstock are right, and some lines are wrong."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

import penstock
import penstock.backend
import penstock.data_node
import penstock.fn as functions
import penstock.fn.transforms
import penstock.math
import penstock.ops
import penstock.pipeline.experimental
import penstock.tensors as tensors
import penstock.types as types
from penstock import Pipeline, fn, math, ops, pipeline_def
from penstock.backend import TensorListCPU
from penstock.data_node import DataNode
from penstock.experimental import dynamic as ndd
from penstock.experimental.dynamic.random import RNG, uniform
from penstock.experimental.dynamic.readers import File
from penstock.fn import resize
from penstock.fn.experimental.readers import video
from penstock.fn.readers import file
from penstock.extend import STR, SampleOperator, Workspace, function_of, param, register
from penstock.ops.reductions import RMS
from penstock.pipeline import Pipeline as SamePipeline, pipeline_def as same_pipeline_def
from penstock.pipeline.experimental import pipeline_def as experimental_pipeline_def
from penstock.plugin import arrays
from penstock.tensors import TensorGPU
from penstock.types import DALIDataType, DALIImageType, FLOAT

Array = NDArray[np.generic]


@pipeline_def(batch_size=4, num_threads=2, on_error="skip")
def training(path: str, *, crop: int = 3) -> tuple[DataNode, DataNode]:
    """Read photographs."""
    encoded, label = fn.readers.file(file_root=path, random_shuffle=True, name="reader")
    images: DataNode = fn.decoders.image(encoded, output_type=types.RGB)
    wide: DataNode = fn.resize(images, size=[10, 20.5], mode="not_larger")
    kept, sizes = fn.experimental.resize(images, resize_x=3, save_attrs=True)
    angle: DataNode = math.sqrt(fn.random.uniform(range=(0, 1))) + fn.uniform(range=(0, 1))
    images = fn.crop_mirror_normalize(wide, dtype=FLOAT, mirror=fn.coin_flip(), crop=(crop, crop))
    return fn.rotate(images, angle=angle, fill_value=0), label


@pipeline_def
def validation() -> DataNode:
    source: DataNode = fn.external_source(lambda: [[1]], dtype=types.DALIDataType.UINT8)
    first: list[DataNode] = fn.external_source(num_outputs=2, name="fed")
    return ops.Cast(dtype=DALIDataType.FLOAT)(source) or first[0]


@experimental_pipeline_def(batch_size=1)
def older() -> list[DataNode]:
    return [ops.FileReader(file_root="x")()[0]]


@register
class Curve(SampleOperator):
    """A curve."""

    name = "curve_of_the_program"
    inputs = ("data",)
    form = param(STR, "linear", "Its form.", choices=("linear", "cubic"))

    def sample(self, workspace: Workspace, data: Array) -> Array:
        return data


curve: Callable[..., DataNode] = function_of(Curve)
shapes: Sequence[type] = (TensorListCPU, TensorGPU, tensors.TensorList, SamePipeline, DALIImageType)


class Photographs:
    @same_pipeline_def(batch_size=2)
    def pipeline(self, path: str) -> DataNode:
        matrix: DataNode = penstock.fn.transforms.rotation(angle=3)
        clip: DataNode = video(filenames="x", sequence_length=3)
        root: DataNode = RMS()(matrix)
        return curve(file(file_root=path)[0]) + root + clip

    def run(self) -> Pipeline:
        return self.pipeline("x", batch_size=3)


def right() -> None:
    pipes: list[Pipeline] = [training("x"), training("x", crop=2), training("x", batch_size=3)]
    pipes += [training(path="x", crop=2, batch_size=3, device_id=None), validation(batch_size=2)]
    pipes += [older(), Pipeline(2, 1, prefetch_queue_depth=3, exec_async=False, py_num_workers=2)]
    for (batch,) in arrays.GenericIterator(pipes, ["image", "label"], reader_name="reader"):
        batch["image"].mean()
    for named in arrays.GenericIterator(pipes[0], batch_form="dict"):
        named["image"].mean()
    for image, label in arrays.ClassificationIterator(pipes[0], batch_form="tuple"):
        image.mean() + label.mean()


def at_once(path: str, images: Sequence[Array]) -> None:
    one: ndd.Tensor = ndd.resize(ndd.imread(path), size=[10, 20.5], mode="not_larger")
    several: ndd.Batch = ndd.flip(ndd.batch(images), horizontal=1, device="cpu")
    by_sample: ndd.Batch = ndd.rotate(one, angle=uniform(range=(0, 9), batch_size=3))
    number: ndd.Tensor = ndd.random.uniform(range=[0, 1], rng=RNG(3), dtype=ndd.float32)
    parts: tuple[ndd.Tensor, ...] = ndd.nonsilent_region(images[0])
    angle: float = float(ndd.math.sqrt(number) + 1)
    for encoded, _ in File(files=[path]).next_epoch(batch_size=4):
        ndd.decoders.image(encoded, output_type=types.RGB, batch_size=None)
    print(one.shape, several.tensors[0], by_sample.slice[1:3], parts, angle)
    ndd.resize(one, siez=3)  # error
    ndd.resise(one)  # error
    File(file_rot=path)  # error
    ndd.random.uniform(seed=3)  # error
    ndd.batch_permutation()  # error
    one.tensors  # error
    wide: ndd.Tensor = ndd.flip(several)  # error


def wrong(images: DataNode, pipe: Pipeline) -> None:
    fn.resize(images, siez=3)  # error
    resize(images, siez=3)  # error
    file(file_rot="x")  # error
    from penstock.fn.readers import fil  # error
    fn.resise(images, size=3)  # error
    fn.resize(images, size="large")  # error
    fn.resize(images, size=3, mode="fill")  # error
    fn.experimental.resize(images, siez=3)  # error
    fn.readers.file(file_rot="x")  # error
    fn.readers.fil(file_root="x")  # error
    functions.uniform(rnge=(0, 1))  # error
    penstock.fn.decoders.image(images, ouput_type=types.RGB)  # error
    ops.FileReader(file_rot="x")  # error
    fn.cast(images, dtype=types.FLOTA)  # error
    penstock.math.sqroot(images)  # error
    arrays.GenericIterator(pipe, ["image"], redaer_name="reader")  # error
    arrays.GenericIterator(pipe, batch_form="dicts")  # error
    next(arrays.GenericIterator(pipe, batch_form="tuple"))["image"]  # error
    Pipeline(batch_size=2, sead=3)  # error
    Pipeline(batch_size=2, on_error="ignore")  # error
    training("x", batchsize=3)  # error
    training("x", 3)  # error
    training("x", batch_size="3")  # error
    training()  # error

    @pipeline_def(sead=42)  # error
    def other() -> None: ...
'''


@pytest.mark.slow
def test_mypy_finds_the_wrong_lines_and_no_others(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    options = ("--strict", "--no-error-summary", "--cache-dir", str(tmp_path / "cache"))
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", *options, program.name],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(SOURCES)},
        capture_output=True,
        text=True,
    )
    found = {int(line) for line in re.findall(r"^program.py:(\d+): error", checked.stdout, re.M)}
    lines = PROGRAM.splitlines()
    expected = {number for number, line in enumerate(lines, 1) if line.endswith("# error")}
    assert found == expected, checked.stdout + checked.stderr


def test_the_program_runs():
    exec(compile(PROGRAM, "program.py", "exec"), {"__name__": "program"})
