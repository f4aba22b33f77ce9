"""Configurations of models are what Triton's protocol buffer has."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from penstock import fn, pipeline_def, types
from penstock.serving.model import Model
from penstock.serving.model_config import as_pbtxt, model_config

from ...serving.servers import mean_colors

text_format = pytest.importorskip(
    "google.protobuf.text_format", reason="protobuf reads the configurations"
)
json_format = pytest.importorskip("google.protobuf.json_format", reason="protobuf")
pytest.importorskip("tritonclient", reason="tritonclient has the definition of configurations")


@pytest.fixture(scope="module")
def messages():
    """The classes of the messages. The package around them needs gRPC, which they do not."""
    folder = Path(importlib.util.find_spec("tritonclient").origin).parent
    name = "model_config_pb2_of_tritonclient"
    spec = importlib.util.spec_from_file_location(name, folder / "grpc" / "model_config_pb2.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pipeline_def(batch_size=4, num_threads=1)
def of_all_types():
    outputs = []
    for name in ("BOOL", "UINT8", "UINT16", "INT64", "FLOAT16", "FLOAT", "FLOAT64"):
        layout = "HWC" if name == "UINT8" else None
        data = fn.external_source(name=name, dtype=getattr(types, name), ndim=3, layout=layout)
        outputs.append(data)
    return (*outputs, fn.external_source(name="text", dtype=types.UINT8, ndim=1))


@pytest.mark.parametrize("define", [mean_colors, of_all_types])
def test_a_configuration_is_read_by_protobuf(messages, define):
    model = Model("a_model", define())
    try:
        config = model_config(model, 0.002, instances=3)
    finally:
        model.close()
    read = text_format.Parse(as_pbtxt(config), messages.ModelConfig())
    assert read.name == "a_model"
    assert read.backend == "python"
    assert read.max_batch_size == model.max_batch_size
    assert read.dynamic_batching.max_queue_delay_microseconds == 2000
    assert [(group.count, group.kind) for group in read.instance_group] == [(3, 2)]  # KIND_CPU
    of_type = messages.DataType.Name
    for tensors, specs in ((read.input, model.inputs), (read.output, model.outputs)):
        assert [tensor.name for tensor in tensors] == list(specs)
        for tensor, spec in zip(tensors, specs.values(), strict=True):
            assert tuple(tensor.dims) == spec.dims
            expected = "STRING" if spec.datatype == "BYTES" else spec.datatype
            assert of_type(tensor.data_type) == f"TYPE_{expected}"
    assert read == json_format.ParseDict(config, messages.ModelConfig())


def test_names_are_quoted(messages):
    read = text_format.Parse(as_pbtxt({"name": 'a "b" \\ c'}), messages.ModelConfig())
    assert read.name == 'a "b" \\ c'
