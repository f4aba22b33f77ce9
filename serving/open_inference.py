"""Messages of the Open Inference Protocol, version 2 (KServe v2), over HTTP.

A request is JSON. With the extension for binary tensors, the data of tensors follow the JSON, in
the order of the inputs, and the header `Inference-Header-Content-Length` gives the size of the
JSON. Elements of type BYTES are each a size of four bytes, little-endian, and as many bytes.

Source: https://github.com/kserve/open-inference-protocol, and Triton's extension
"binary tensor data".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import orjson

from ..engine.arrays import Array, DType
from .requests import RequestError, RequestSamples
from .signature import BYTES, TensorSpec, datatype_of
from .tensor_data import from_binary, from_json

SIZE_HEADER = "Inference-Header-Content-Length"

_SHARED_MEMORY = "shared_memory_region"


class ParsedRequest(NamedTuple):
    """A request, parsed.

    Attributes:
        id: that the response repeats; None without one.
        samples: of the request.
        outputs: the names of the outputs that are wanted, each with whether it goes as binary data.
    """

    id: str | None
    samples: RequestSamples
    outputs: dict[str, bool]


def parse_request(
    body: bytes,
    json_size: str | None,
    inputs: Mapping[str, TensorSpec],
    outputs: Sequence[str],
    most: int,
) -> ParsedRequest:
    """Return what a request says.

    Args:
        body: of the request.
        json_size: the header with the size of the JSON; None if the body is JSON alone.
        inputs: that the model has, by name.
        outputs: names of the model's outputs.
        most: samples that a request may have.

    Raises:
        RequestError: the request is not as the protocol and the model demand.
    """
    message, binary = _split(body, json_size)
    identity = message.get("id")
    if identity is not None and not isinstance(identity, str):
        raise RequestError(f"the request's id must be a string, but is {identity!r:.60}")
    wanted = _wanted_outputs(message, outputs)
    tensors = _list_of_objects(message, "inputs")
    given = [tensor.get("name") for tensor in tensors]
    for name in given:
        if not isinstance(name, str) or name not in inputs:
            raise RequestError(
                f"the model has no input {name!r:.80}; its inputs are {', '.join(inputs)}"
            )
    for name in inputs:
        if given.count(name) != 1:
            times = given.count(name)
            raise RequestError(f"the request has the input {name!r} {times} times instead of once")
    data: dict[str, Any] = {}
    offset = 0
    for tensor in tensors:
        spec = inputs[tensor["name"]]
        shape = _shape(tensor, spec, most)
        size = _parameters(tensor, f"input {spec.name!r}").get("binary_data_size")
        if size is None:
            data[spec.name] = from_json(tensor, spec, shape)
            continue
        if "data" in tensor:
            raise RequestError(f"the input {spec.name!r} has both data and binary_data_size")
        if type(size) is not int or not 0 <= size <= len(binary) - offset:
            raise RequestError(
                f"the input {spec.name!r} has binary_data_size {size!r:.40}, but "
                f"{len(binary) - offset} bytes of the request are left"
            )
        data[spec.name] = from_binary(tensor, spec, shape, binary[offset : offset + size])
        offset += size
    if offset != len(binary):
        raise RequestError(f"{len(binary) - offset} bytes of the request belong to no input")
    counts = {name: len(samples) for name, samples in data.items()}
    if len(set(counts.values())) > 1:
        raise RequestError(f"the inputs differ in their number of samples: {counts}")
    return ParsedRequest(identity, RequestSamples(next(iter(counts.values())), data), wanted)


def _split(body: bytes, json_size: str | None) -> tuple[dict[str, object], memoryview]:
    """Return the JSON object at the beginning of a body, and the bytes behind it."""
    size = len(body)
    if json_size is not None:
        if not (json_size.isascii() and json_size.isdigit() and len(json_size) < 16):
            raise RequestError(f"the header {SIZE_HEADER} is {json_size!r:.40}, which is no size")
        size = int(json_size)
        if size > len(body):
            raise RequestError(
                f"the header {SIZE_HEADER} is {size}, but the request has {len(body)} bytes"
            )
    whole = memoryview(body)
    try:
        message = orjson.loads(whole[:size])
    except ValueError as error:
        raise RequestError(f"the request is not JSON: {error}") from None
    if not isinstance(message, dict):
        raise RequestError("the request's JSON is no object")
    return message, whole[size:]


def _list_of_objects(message: Mapping[str, object], name: str) -> list[dict[str, Any]]:
    value = message.get(name)
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise RequestError(f"the request needs {name!r}: a list of objects")
    return value


def _parameters(holder: Mapping[str, object], what: str) -> Mapping[str, Any]:
    parameters = holder.get("parameters", {})
    if not isinstance(parameters, dict):
        raise RequestError(f"the parameters of the {what} are no object")
    if _SHARED_MEMORY in parameters:
        raise RequestError(f"the {what} is in shared memory, which this server does not use")
    return parameters


def _wanted_outputs(message: Mapping[str, Any], names: Sequence[str]) -> dict[str, bool]:
    binary = bool(_parameters(message, "request").get("binary_data_output", False))
    if not message.get("outputs"):
        return dict.fromkeys(names, binary)
    wanted: dict[str, bool] = {}
    for output in _list_of_objects(message, "outputs"):
        name = output.get("name", "")
        if name not in names:
            raise RequestError(
                f"the model has no output {name!r:.80}; its outputs are {', '.join(names)}"
            )
        parameters = _parameters(output, f"output {name!r}")
        if parameters.get("classification"):
            raise RequestError(f"the output {name!r} is wanted as classes; only tensors are served")
        wanted[name] = bool(parameters.get("binary_data", binary))
    return wanted


def _shape(tensor: Mapping[str, Any], spec: TensorSpec, most: int) -> tuple[int, ...]:
    """Return the shape of an input, whose type and number of dimensions are right."""
    datatype: Any = tensor.get("datatype")
    shape: Any = tensor.get("shape")
    is_bytes = spec.datatype == BYTES
    if datatype != spec.datatype and not (is_bytes and datatype == "UINT8"):
        raise RequestError(
            f"the input {spec.name!r} must be of type {spec.datatype}, but is {datatype!r:.40}"
        )
    is_shape = isinstance(shape, list) and all(type(n) is int and n >= 0 for n in shape)
    texts = [f"[samples, {', '.join('any' if n < 0 else str(n) for n in spec.dims)}]"]
    good = is_shape and len(shape) == 1 + len(spec.dims)
    if is_bytes and datatype == "UINT8":
        texts = ["[samples, bytes]"]
    elif spec.dims == (1,):
        texts.append("[samples]")
        good = is_shape and (len(shape) == 1 or (len(shape) == 2 and shape[1] == 1))
    if not good:
        raise RequestError(
            f"the input {spec.name!r} must have the shape {' or '.join(texts)}, but has "
            f"{shape!r:.80}"
        )
    if not 1 <= shape[0] <= most:
        raise RequestError(
            f"the input {spec.name!r} has {shape[0]} samples; a request may have 1 to {most}"
        )
    return tuple(shape)


def response_bytes(request: ParsedRequest, outputs: Mapping[str, Array]) -> int:
    """Return how many bytes the data of a response take at most."""
    return sum(
        outputs[name].nbytes if is_binary else outputs[name].size * _text_bytes(outputs[name].dtype)
        for name, is_binary in request.outputs.items()
    )


def _text_bytes(dtype: DType) -> int:
    return len(_LONGEST_TEXTS[dtype.itemsize])


_LONGEST_TEXTS = {
    1: "false,",
    2: "-32768,",
    4: "-1.1754944e-38,",
    8: "-2.2250738585072014e-308,",
}
"""The longest elements in JSON, by their bytes in memory."""


def write_response(
    model: str, request: ParsedRequest, outputs: Mapping[str, Array]
) -> list[bytes | memoryview]:
    """Return the body of a response: JSON, and then the data of each output that goes as binary.

    The data are views of the outputs.

    Raises:
        RequestError: an output cannot be told in JSON.
    """
    tensors: list[dict[str, Any]] = []
    binary: list[memoryview] = []
    for name, is_binary in request.outputs.items():
        array = outputs[name]
        tensor: dict[str, Any] = {
            "name": name,
            "datatype": datatype_of(array.dtype),
            "shape": list(array.shape),
        }
        if is_binary:
            data = np.ascontiguousarray(array).reshape(-1).view(np.uint8).data
            tensor["parameters"] = {"binary_data_size": data.nbytes}
            binary.append(data)
        elif tensor["datatype"] == "FP16":
            raise RequestError(f"the output {name!r} is FP16, which goes as binary data alone")
        elif array.dtype.kind == "f" and not np.isfinite(array).all():
            raise RequestError(
                f"the output {name!r} has infinite values or values that are no number, which JSON "
                "does not have; ask for binary data"
            )
        else:
            tensor["data"] = orjson.Fragment(_as_json(array.ravel()))
        tensors.append(tensor)
    message: dict[str, Any] = {"model_name": model, "model_version": "1", "outputs": tensors}
    if request.id is not None:
        message["id"] = request.id
    return [orjson.dumps(message), *binary]


ELEMENTS_AT_ONCE = 1 << 17
"""Elements that become JSON in one call: a call of some milliseconds holds the GIL."""


def _as_json(flat: Array) -> bytes:
    """Return elements as a list in JSON; other threads run meanwhile."""
    parts = [
        orjson.dumps(flat[start : start + ELEMENTS_AT_ONCE], option=orjson.OPT_SERIALIZE_NUMPY)
        for start in range(0, len(flat), ELEMENTS_AT_ONCE)
    ]
    return b"[" + b",".join([part[1:-1] for part in parts]) + b"]"
