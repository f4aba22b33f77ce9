"""What a pipeline may return, and what its author declared of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from .errors import ArgumentError
from .graph import DataNode, current_graph
from .tensors import TensorList
from .types import to_dali_type

if TYPE_CHECKING:
    from .config import PipelineConfig
    from .plan import Plan


def as_outputs(values: Iterable[Any]) -> tuple[DataNode, ...]:
    """Check what a pipeline definition returned; constants become nodes."""
    outputs = []
    for i, value in enumerate(values):
        if isinstance(value, tuple | list) and any(isinstance(v, DataNode) for v in value):
            raise ArgumentError(
                f"output {i} of the pipeline is a {type(value).__name__} of nodes; unpack it "
                "in the return statement (return *pair, other)"
            )
        if value is None:
            raise ArgumentError(
                f"output {i} of the pipeline is None: end its definition with `return` and what "
                "the operators returned"
            )
        if not isinstance(value, DataNode):
            from .constants import constant_node

            value = constant_node(value)
        current_graph("set_outputs").check_own(value)
        outputs.append(value)
    if not outputs:
        raise ArgumentError("the pipeline's definition returned no output")
    return tuple(outputs)


class OutputChecks:
    """Holds each batch against output_dtype, output_ndim and output_layout."""

    def __init__(self, config: PipelineConfig, plan: Plan) -> None:
        count = len(plan.outputs)
        dtypes = _each("output_dtype", config.output_dtype, count)
        self._declared = {
            "dtype": [None if d is None else to_dali_type(d) for d in dtypes],
            "ndim": _each("output_ndim", config.output_ndim, count),
            "layout": _each("output_layout", config.output_layout, count),
        }
        self._any = any(v is not None for values in self._declared.values() for v in values)

    def check(self, outputs: Sequence[TensorList]) -> None:
        """Raise ArgumentError where an output is not as declared."""
        if not self._any:
            return
        for i, output in enumerate(outputs):
            actual = {"dtype": output.dtype, "ndim": output.ndim, "layout": output.layout()}
            for what, values in self._declared.items():
                if values[i] is not None and values[i] != actual[what]:
                    raise ArgumentError(
                        f"output {i} of the pipeline has {what} {actual[what]!r}, but "
                        f"output_{what} declares {values[i]!r}"
                    )


def _each(name: str, value: Any, count: int) -> list[Any]:
    if not isinstance(value, list | tuple):
        return [value] * count
    if len(value) != count:
        raise ArgumentError(f"{name} lists {len(value)} values for {count} outputs")
    return list(value)
