"""The members of a pipeline that draw its graph."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ArgumentError
from ..graph.nodes import DataNode
from ..tensors import TensorList
from ..tensors.dtypes import DALIDataType
from ..work.plan import Key, make_plan
from .pipeline_base import PipelineBase

if TYPE_CHECKING:
    from .graph_picture import GraphFacts


class DrawnPipeline(PipelineBase):
    """The part of a `Pipeline` that can be drawn."""

    def save_graph_to_dot_file(
        self,
        filename: str | os.PathLike[str],
        *,
        show_tensors: bool = False,
        show_ids: bool | None = None,
        use_colors: bool = False,
    ) -> None:
        """Write the graph as text for Graphviz: `dot -Tsvg graph.dot -o graph.svg`.

        Each operator shows its name, the line of the program, and dtype and layout of its results.
        Once the pipeline has run, each operator shows its part of the time of all operators.

        Args:
            filename: of the file.
            show_tensors: draw data as nodes between the operators.
            show_ids: deprecated, without effect.
            use_colors: color the operators by their device.
        """
        if show_ids is not None:
            warnings.warn(
                "show_ids is deprecated and has no effect; leave it out",
                DeprecationWarning,
                stacklevel=2,
            )
        from .graph_picture import as_dot  # which most programs do not need

        dot = as_dot(self.graph_facts(), show_tensors=show_tensors, use_colors=use_colors)
        Path(filename).write_text(dot, encoding="utf-8")

    def graph_facts(self) -> GraphFacts:
        """Return the graph with what is known of it; builds the pipeline."""
        from .graph_picture import GraphFacts

        self.build()
        assert self._plan is not None
        assert self._outputs is not None
        return GraphFacts(self._plan.nodes, self._outputs, dict(self._seen_dtypes), self._shares())

    def _shares(self) -> dict[str, float]:
        if self._executor is None:
            return {}
        busy: dict[str, float] = {}
        for operator in self._executor.stats().operators:
            busy[operator.name] = busy.get(operator.name, 0.0) + operator.busy_s
        total = sum(busy.values())
        return {name: seconds / total for name, seconds in busy.items()} if total else {}


def seen_dtypes(values: Iterable[tuple[Key, TensorList]]) -> dict[Key, DALIDataType]:
    """Return the types of batches by their keys, without texts and others that have no type."""
    found: dict[Key, DALIDataType] = {}
    for key, data in values:
        with suppress(ArgumentError):
            found[key] = data.dtype
    return found


def dtypes_of_all_data(pipeline: PipelineBase) -> dict[Key, DALIDataType]:
    """Run a batch of a pipeline that is not built, and return the types of all data in the graph.

    All data become outputs of the pipeline.
    """
    pipeline._define_once()
    assert pipeline._outputs is not None
    plan = make_plan(pipeline._graph, pipeline._outputs)
    everything: list[DataNode] = [data for node in plan.nodes for data in node.outputs]
    pipeline._outputs, pipeline._output_names = tuple(everything), None
    outputs = pipeline.run()
    return {
        (data.node.ordinal, data.index): output.dtype
        for data, output in zip(everything, outputs, strict=True)
    }
