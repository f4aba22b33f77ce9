"""The pipeline that is being defined: where calls of operators add their nodes."""

from __future__ import annotations

from typing import Any

from ..graph.nodes import Graph, current_graph, pop_graph, push_graph


class CurrentPipeline:
    """The part of a `Pipeline` that says which pipeline this thread defines."""

    _graph: Graph

    @staticmethod
    def current() -> Any:
        """Return the pipeline that this thread is defining, or None."""
        graph = current_graph()
        return None if graph is None else graph.pipeline()

    @staticmethod
    def push_current(pipeline: CurrentPipeline | None) -> Any:
        """Add the operators that this thread calls to `pipeline` until `pop_current` is called.

        Returns:
            the pipeline that was the current one before, or None.
        """
        previous = CurrentPipeline.current()
        push_graph(None if pipeline is None else pipeline._graph)
        return previous

    @staticmethod
    def pop_current() -> None:
        """Make the pipeline current that was so before the last `push_current`."""
        pop_graph()
