"""The outputs that a pipeline may return, and the checks that its author declared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from ..errors import ArgumentError
from ..graph.constant_nodes import Constant
from ..graph.constants import data_array
from ..graph.nodes import DataNode, Graph, is_group_of_nodes, own_constant
from ..run.config import PipelineConfig
from ..tensors import TensorList
from ..tensors.dtypes import DALIDataType, to_dali_type
from ..work.plan import Key, Plan

Names = tuple[str, ...] | None
"""The names of a pipeline's outputs, in their order; None if its definition returns no dict."""


def names_and_values(result: object) -> tuple[Names, Sequence[Any]]:
    """Take apart what a definition returns: a dict, a tuple, a list, or one value.

    Raises:
        ArgumentError: a key of a dict is no name.
    """
    if isinstance(result, Mapping):
        return as_output_names(list(result)), list(result.values())
    return None, result if isinstance(result, tuple | list) else (result,)


def as_output_names(keys: Sequence[Any]) -> tuple[str, ...]:
    """Return the keys of a dict of outputs, which must be names."""
    for key in keys:
        if not isinstance(key, str) or not key:
            raise ArgumentError(
                f"an output of the pipeline has the key {key!r:.80}, but the keys of a dict of "
                "outputs must be names, such as {'image': images, 'label': labels}"
            )
    return tuple(keys)


def as_outputs(graph: Graph, values: Iterable[object], names: Names = None) -> tuple[DataNode, ...]:
    """Check a pipeline's outputs; constants become nodes, and all become nodes of `graph`."""
    outputs = []
    for i, value in enumerate(values):
        what = f"output {names[i]!r} of the pipeline" if names else f"output {i} of the pipeline"
        if is_group_of_nodes(value):
            advice = (
                "give each node a name of its own"
                if names
                else "unpack it in the return statement (return *pair, other)"
            )
            raise ArgumentError(f"{what} is a {type(value).__name__} of nodes; {advice}")
        if value is None:
            raise ArgumentError(
                f"{what} is None: end its definition with `return` and the outputs of operators"
            )
        if isinstance(value, Mapping):
            raise ArgumentError(
                f"{what} is a {type(value).__name__} of {', '.join(map(str, value))}; return one "
                "dict of all outputs, without dicts in it"
            )
        if not isinstance(value, DataNode):
            try:
                value = Constant(data_array(value))
            except Exception as error:
                error.add_note(f"{what} is neither data nor a number or an array of numbers")
                raise
        outputs.append(value if value.node.ordinal < 0 else own_constant(value))
    if not outputs:
        raise ArgumentError("the pipeline's definition returned no output")
    graph.adopt(*outputs)
    return tuple(outputs)


def output_checks(config: PipelineConfig, plan: Plan) -> OutputChecks | None:
    """Return the checks of the pipeline's outputs; None if nothing is declared of them."""
    declared = (config.output_dtype, config.output_ndim, config.output_layout)
    return None if declared == (None, None, None) else OutputChecks(config, plan)


class OutputChecks:
    """Holds each batch against output_dtype, output_ndim and output_layout."""

    def __init__(self, config: PipelineConfig, plan: Plan) -> None:
        count = len(plan.outputs)
        dtypes = for_each_output("output_dtype", config.output_dtype, count)
        self._declared = {
            "dtype": [None if d is None else to_dali_type(d) for d in dtypes],
            "ndim": for_each_output("output_ndim", config.output_ndim, count),
            "layout": for_each_output("output_layout", config.output_layout, count),
        }

    def check(self, outputs: Sequence[TensorList]) -> None:
        """Raise ArgumentError where an output is not as declared."""
        for i, output in enumerate(outputs):
            actual = {"dtype": output.dtype, "ndim": output.ndim, "layout": output.layout()}
            for name, values in self._declared.items():
                if values[i] is not None and values[i] != actual[name]:
                    raise ArgumentError(
                        f"output {i} of the pipeline has {name} {actual[name]!r}, but "
                        f"output_{name} declares {values[i]!r}"
                    )


def for_each_output(name: str, value: object, count: int) -> list[Any]:
    """Return a value for each of `count` outputs: the same one, or those that a list gives."""
    if not isinstance(value, list | tuple):
        return [value] * count
    if len(value) != count:
        raise ArgumentError(f"{name} lists {len(value)} values for {count} outputs")
    return list(value)


def seen_dtypes(values: Iterable[tuple[Key, TensorList]]) -> dict[Key, DALIDataType]:
    """Return the types of batches by their keys, without texts and others that have no type."""
    found: dict[Key, DALIDataType] = {}
    for key, data in values:
        with suppress(ArgumentError):
            found[key] = data.dtype
    return found
