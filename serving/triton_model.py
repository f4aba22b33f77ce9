"""What an exported model does inside of Triton's Python backend."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..engine.pipeline.pipeline import Pipeline
from .model import Model
from .requests import BAD_REQUEST, RequestError, RequestSamples
from .signature import BYTES, TensorSpec


class TritonModel:
    """Base of the class `TritonPythonModel` in the `model.py` of an exported model.

    Attributes:
        utilities: the module triton_python_backend_utils, which is there inside of Triton alone.
        stored_pipeline: file of the pipeline.
        allow_pickle: whether the file has functions of the program.
    """

    utilities: Any
    stored_pipeline: Path
    allow_pickle: bool

    def initialize(self, args: Mapping[str, str]) -> None:
        """Load the pipeline; Triton calls this once for each instance."""
        config = json.loads(args["model_config"])
        options: dict[str, Any] = {"batch_size": config["max_batch_size"]}
        if args.get("model_instance_kind") == "GPU":
            options["device_id"] = int(args["model_instance_device_id"])
        pipeline = Pipeline.deserialize(
            filename=self.stored_pipeline, allow_pickle=self.allow_pickle, **options
        )
        names = [tensor["name"] for tensor in config["output"]]
        self._model = Model(args["model_name"], pipeline, names)
        if any(spec.datatype == BYTES for spec in self._model.inputs.values()):
            self._check_numpy()

    def _check_numpy(self) -> None:
        """Raise if the backend makes wrong arrays, which only tensors of BYTES must go through."""
        known = np.arange(3, dtype=np.int32)
        if not np.array_equal(self.utilities.Tensor.from_dlpack("known", known).as_numpy(), known):
            raise self.utilities.TritonModelException(
                f"this Python backend of Triton was built before NumPy 2 and hands wrong bytes to "
                f"NumPy {np.__version__}; take a later release of Triton, or declare the inputs as "
                "numbers: fn.external_source(name=..., dtype=types.UINT8, ndim=3)"
            )

    def execute(self, requests: Sequence[object]) -> list[object]:
        """Compute the requests of one batch of Triton's; return a response for each."""
        samples = [self._samples(request) for request in requests]
        results = self._model.compute(samples)
        return [self._response(*pair) for pair in zip(requests, results, strict=True)]

    def finalize(self) -> None:
        """Close the pipeline."""
        self._model.close()

    def _samples(self, request: Any) -> RequestSamples:
        data = {
            name: self._input(spec, self.utilities.get_input_tensor_by_name(request, name))
            for name, spec in self._model.inputs.items()
        }
        return RequestSamples(len(next(iter(data.values()))), data)

    @staticmethod
    def _input(spec: TensorSpec, tensor: Any) -> Any:
        if spec.datatype == BYTES:
            return [np.frombuffer(text, np.uint8) for text in tensor.as_numpy().ravel()]
        array = np.from_dlpack(tensor)
        return array.reshape(-1) if spec.ndim == 0 else array

    def _response(self, request: Any, result: Any) -> object:
        utilities = self.utilities
        if isinstance(result, RequestError):
            error = utilities.TritonError
            code = error.INVALID_ARG if result.status == BAD_REQUEST else error.UNAVAILABLE
            return utilities.InferenceResponse(error=error(str(result), code))
        names = [name for name in result if name in request.requested_output_names()]
        return utilities.InferenceResponse([self._output(name, result[name]) for name in names])

    def _output(self, name: str, array: Any) -> Any:
        return self.utilities.Tensor.from_dlpack(name, np.ascontiguousarray(array))
