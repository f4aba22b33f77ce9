"""The configuration of a model, as Triton has it: as JSON, and as the text of a protocol buffer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .model import Model
from .signature import BYTES, TensorSpec


class Word(str):
    """A value of an enumeration, which the text of a protocol buffer has without quotes."""

    __slots__ = ()


def tensor_metadata(specs: Mapping[str, TensorSpec]) -> list[dict[str, object]]:
    """Return tensors as the metadata of a model have them: with the number of samples first."""
    return [
        {"name": spec.name, "datatype": spec.datatype, "shape": [-1, *spec.dims]}
        for spec in specs.values()
    ]


def model_config(model: Model, max_delay: float, instances: int = 1) -> dict[str, object]:
    """Return the configuration of a model.

    Args:
        model: the model.
        max_delay: seconds for which a batch that is not full waits for more requests.
        instances: number of pipelines that compute at a time.
    """
    kind = Word("KIND_GPU" if model.uses_gpu else "KIND_CPU")
    return {
        "name": model.name,
        "backend": "python",
        "max_batch_size": model.max_batch_size,
        "input": [_tensor(spec) for spec in model.inputs.values()],
        "output": [_tensor(spec) for spec in model.outputs.values()],
        "instance_group": [{"count": instances, "kind": kind}],
        "dynamic_batching": {"max_queue_delay_microseconds": round(max_delay * 1e6)},
    }


def _tensor(spec: TensorSpec) -> dict[str, object]:
    name = "STRING" if spec.datatype == BYTES else spec.datatype
    return {"name": spec.name, "data_type": Word(f"TYPE_{name}"), "dims": list(spec.dims)}


def as_pbtxt(config: Mapping[str, object]) -> str:
    """Return a configuration as the text of a protocol buffer.

    >>> print(as_pbtxt({"name": "resize", "input": [{"dims": [-1, 3]}]}), end="")
    name: "resize"
    input {
      dims: [-1, 3]
    }
    """
    return "".join(f"{line}\n" for line in _lines(config))


def _lines(message: Mapping[str, Any]) -> Iterable[str]:
    for name, value in message.items():
        repeated = value if isinstance(value, list) else [value]
        if not all(isinstance(entry, dict) for entry in repeated):
            yield f"{name}: {_literal(value)}"
            continue
        for entry in repeated:
            yield f"{name} {{"
            for line in _lines(entry):
                yield f"  {line}"
            yield "}"


def _literal(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, str) and not isinstance(value, Word):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    return str(value)
