"""The members of a pipeline that draw its graph."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from .staged_pipeline import StagedPipeline

if TYPE_CHECKING:
    from .graph_picture import GraphFacts


class DrawnPipeline(StagedPipeline):
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

        nodes, outputs = self._as_built().plan.nodes, self._definition.outputs
        if (run := self._run) is None:
            return GraphFacts(nodes, outputs)
        return GraphFacts(nodes, outputs, dict(run.seen_dtypes), run.shares())
