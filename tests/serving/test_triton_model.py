"""The code of exported models, with the few parts of Triton's module that it uses.

That module is there inside of Triton alone: tests/plugin/triton runs the code there.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from penstock.serving.model import output_names
from penstock.serving.triton_model import TritonModel

from .servers import doubled, jpeg, mean_colors


@dataclass
class Tensor:
    """A tensor of Triton's."""

    name: str
    array: Any

    def as_numpy(self):
        return self.array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class TritonError(Exception):
    INVALID_ARG, UNAVAILABLE = range(2)


class Response:
    def __init__(self, tensors=(), error=None):
        self.arrays = {tensor.name: tensor.array for tensor in tensors}
        self.error = error


def utilities():
    def by_name(request, name):
        return next(tensor for tensor in request.tensors if tensor.name == name)

    return SimpleNamespace(
        Tensor=SimpleNamespace(from_dlpack=lambda name, data: Tensor(name, np.from_dlpack(data))),
        TritonError=TritonError,
        TritonModelException=RuntimeError,
        InferenceResponse=Response,
        get_input_tensor_by_name=by_name,
    )


def request(name, array, outputs=("OUTPUT_0", "OUTPUT_1")):
    return SimpleNamespace(
        tensors=[Tensor(name, array)], requested_output_names=lambda: list(outputs)
    )


@pytest.fixture
def loaded(tmp_path):
    """Loads a stored pipeline as Triton does."""
    models = []

    def load(pipeline, module=None, names=()):
        file = tmp_path / "pipeline.penstock"
        pipeline.serialize(filename=file)
        outputs = [{"name": name} for name in names or output_names(pipeline)]
        model = TritonModel()
        model.utilities = module or utilities()
        model.stored_pipeline, model.allow_pickle = file, False
        arguments = {
            "model_name": "model",
            "model_instance_kind": "CPU",
            "model_instance_device_id": "0",
            "model_config": json.dumps({"max_batch_size": 4, "output": outputs}),
        }
        model.initialize(arguments)
        models.append(model)
        return model

    yield load
    for model in models:
        model.finalize()


def elements(*files):
    array = np.empty((len(files), 1), object)
    array[:, 0] = files
    return array


def test_requests_of_bytes_share_a_batch_and_fail_alone(loaded):
    model = loaded(mean_colors(on_error="replace"))
    first, bad, last = model.execute(
        [
            request("encoded", elements(jpeg(5, 6))),
            request("encoded", elements(b"no image")),
            request("encoded", elements(jpeg(7, 8), jpeg(9, 9)), outputs=["OUTPUT_1"]),
        ]
    )
    assert first.arrays["OUTPUT_1"].tolist() == [[5, 6, 3]]
    assert first.arrays["OUTPUT_0"].dtype == np.float32
    message, code = bad.error.args
    assert "unknown format" in message
    assert code == TritonError.INVALID_ARG
    assert list(last.arrays) == ["OUTPUT_1"]
    assert last.arrays["OUTPUT_1"].tolist() == [[7, 8, 3], [9, 9, 3]]


def test_numbers(loaded):
    model = loaded(doubled(on_error="replace"))
    (response,) = model.execute([request("numbers", np.float32([[1], [2]]))])
    assert response.arrays["OUTPUT_0"].tolist() == [[2], [4]]


def test_outputs_have_the_names_of_the_configuration(loaded):
    model = loaded(doubled(on_error="replace"), names=["twice"])
    (response,) = model.execute([request("numbers", np.float32([[1]]), outputs=["twice"])])
    assert response.arrays["twice"].tolist() == [[2]]


def test_a_backend_that_makes_wrong_arrays_is_refused_for_bytes(loaded):
    module = utilities()
    module.Tensor.from_dlpack = lambda name, _: Tensor(name, np.zeros(3, np.int32))
    with pytest.raises(RuntimeError, match="built before NumPy 2"):
        loaded(mean_colors(on_error="replace"), module=module)
    loaded(doubled(on_error="replace"), module=module)
