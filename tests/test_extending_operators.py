"""docs/extending.md: operators on whole batches, metadata of samples, and a kernel of one's own."""

from __future__ import annotations

import importlib
import re
import sys
import zlib
from types import MappingProxyType

import numpy as np
import pytest

from penstock import ArgumentError, Pipeline, fn, ops, pipeline_def
from penstock.engine.errors import LayoutError
from penstock.engine.graph.operator import OPERATORS
from penstock.engine.processes import helper_processes
from penstock.readers import record_reader
from penstock.testing.agreement import on_device
from penstock.testing.operators import OperatorConformance

from .readers import tars
from .readers.processes import assert_soon, settled_children
from .test_extending import PAGE


def blocks(title, language="python"):
    """Return the code of a section in a language."""
    (text,) = re.findall(rf"^## {title}\n(.*?)(?=^## |\Z)", PAGE.read_text(), re.M | re.S)
    return re.findall(rf"```{language}\n(.*?)```", text, re.S)


@pytest.fixture
def import_example(tmp_path, monkeypatch):
    """Write a section's code as a module and import it; forget its operators after the test."""
    before, modules = dict(OPERATORS), set(sys.modules)
    monkeypatch.syspath_prepend(tmp_path)

    def import_(title, name):
        for source in blocks(title, "cuda"):
            (tmp_path / f"{name}.cu").write_text(source)
        (tmp_path / f"{name}.py").write_text(*blocks(title))
        return importlib.import_module(name)

    yield import_
    for name in set(sys.modules) - modules:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]
    for name in set(OPERATORS) - set(before):
        vars(fn).pop(name, None)
        vars(ops).pop(OPERATORS[name].__name__, None)
    OPERATORS.clear()
    OPERATORS.update(before)


def label_weights(labels, **options):
    pipe = Pipeline(batch_size=len(labels), num_threads=1, **options)
    rows = [np.array([label], np.int32) for label in labels]
    with pipe:
        pipe.set_outputs(fn.label_weights(fn.external_source(source=lambda: rows)))
    with pipe:
        return pipe.run()[0]


def test_an_operator_on_whole_batches(import_example):
    import_example("An operator on whole batches", "label_weights_example")
    weights = label_weights([3, 5, 3, 3])
    assert weights.as_array()[:, 0].tolist() == pytest.approx([4 / 3, 4, 4 / 3, 4 / 3])
    assert weights.as_array().dtype == np.float32


def test_a_row_with_an_error_is_a_bad_sample(import_example):
    import_example("An operator on whole batches", "label_weights_example")
    with pytest.raises(ArgumentError, match="the label is -1; give 0 or more"):
        label_weights([3, -1])
    replaced = label_weights([3, -1, 3], on_error="replace")
    assert replaced.valid.tolist() == [True, False, True]


def test_metadata_of_encoded_samples_come_from_the_processes_that_read(
    import_example, tmp_path, tuned, monkeypatch
):
    tuned(record_reader, MIN_CORES=1)
    tuned(helper_processes, WORTH_STARTING_SECONDS=0.0)
    module = import_example("Metadata of encoded samples", "crc32_example")
    contents = [bytes([i]) * (3000 + i) for i in range(40)]
    members = {f"{i:02}.bin": content for i, content in enumerate(contents)}
    tars.write(tmp_path / "a.tar", tars.archive(members))

    @pipeline_def(batch_size=8, num_threads=1)
    def define():
        return fn.crc32(fn.readers.webdataset(paths=[str(tmp_path / "a.tar")], ext=["bin"]))

    arrived, found = [], []
    compute = module.Crc32.batch

    def batch(self, batch, encoded):
        arrived.append("crc32" in encoded.metadata)
        return compute(self, batch, encoded)

    monkeypatch.setattr(module.Crc32, "batch", batch)
    with define() as pipe:

        def processes_read():
            found.extend(pipe.run()[0].as_array().tolist())
            return any(arrived) and len(found) > 80

        assert_soon(processes_read)
    settled_children()  # or later tests would see the processes
    assert False in arrived
    assert found == [zlib.crc32(contents[i % 40]) for i in range(len(found))]


class TestBrighten(OperatorConformance):
    operator = "brighten"
    inputs = ([np.arange(60 * i, dtype=np.uint8).reshape(4, 5 * i, 3) for i in (1, 2, 3)],)
    arguments = MappingProxyType({"amount": [1, 200, 3.5]})
    per_sample = MappingProxyType({"amount": [[0, 1, 2], [7, 250, 9.5], [300, 20, 0]]})
    bad = (
        ({"amount": (1, 2)}, "fn.brighten: amount has 2 numbers; give 1, or 3"),
        ({"amount": [np.float32([1, -1, 1])] * 3}, "amount is -1.0; it must be at least 0"),
    )

    @pytest.fixture(autouse=True)
    def example(self, import_example):
        import_example("Several numbers a sample", "brighten")

    def test_samples_may_have_one_number_or_one_a_channel(self, device):
        amounts = [np.float32([5]), np.float32([1, 2, 3]), np.float32([300])]
        varying = {"amount": amounts}
        (rows,), _ = on_device(device, "brighten", *self.inputs, layout="HWC", per_sample=varying)
        for image, row, amount in zip(*self.inputs, rows, amounts, strict=True):
            wanted = np.minimum(image + amount, 255)
            np.testing.assert_array_equal(row, wanted.astype(np.uint8), strict=True)


class TestMirror(OperatorConformance):
    operator = "mirror"
    inputs = ([np.arange(60 * i, dtype=np.uint8).reshape(4, 5 * i, 3) for i in (1, 2, 3)],)
    per_sample = MappingProxyType({"mirrored": [1, 0, 1]})

    @pytest.fixture(autouse=True)
    def example(self, import_example):
        import_example("A CUDA kernel of your own", "mirror")

    def test_lines_are_reversed(self):
        with Pipeline(batch_size=1, num_threads=1) as pipe:
            pipe.set_outputs(fn.mirror(self.inputs[0][1]))
        with pipe:
            (mirrored,) = pipe.run()
        np.testing.assert_array_equal(mirrored.at(0), self.inputs[0][1][:, ::-1])

    @pytest.mark.parametrize("layout", ["HW", "CHW", "FHWC", "FCHW"])
    def test_lines_are_reversed_in_each_layout(self, device, layout):
        sizes = {"F": 2, "C": 3, "H": 4, "W": 5}
        shape = [sizes[letter] for letter in layout]
        image = np.arange(np.prod(shape), dtype=np.uint8).reshape(shape)
        (rows,), _ = on_device(device, "mirror", [image], layout=layout)
        np.testing.assert_array_equal(rows[0], np.flip(image, layout.index("W")))

    def test_an_unknown_layout_is_an_error_on_both_devices(self, device):
        with pytest.raises(LayoutError, match="4 dimensions and no layout; expected HW or HWC"):
            on_device(device, "mirror", [np.zeros((2, 4, 5, 3), np.uint8)], layout="")
