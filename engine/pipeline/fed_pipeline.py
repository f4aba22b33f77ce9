"""The members of a pipeline that give data to its external sources."""

from __future__ import annotations

from typing import Any

from ..graph.nodes import DataNode, Node
from ..run.feeding import fed_source
from .staged_pipeline import StagedPipeline


class FedPipeline(StagedPipeline):
    """The part of a `Pipeline` that users feed."""

    def feed_input(
        self,
        data_node: DataNode | str,
        data: Any,
        layout: str | None = None,
        cuda_stream: Any = None,
        use_copy_kernel: bool = False,
    ) -> None:
        """Give an external source its next batch.

        Args:
            data_node: the source's name or its output.
            data: an array whose axis 0 runs over samples, or a list of arrays.
            layout: meaning of a sample's dimensions; by default that of the data, if they are
                tensors with a layout. The source must not be declared with another layout.
            cuda_stream: see `fn.external_source`; by default the stream that was given there.
            use_copy_kernel: without effect.
        """
        run = self._run
        if run is None:
            source = fed_source(self._as_built().plan, data_node)
            if source.node.device == "cpu":
                source.operator.feed(data, layout, cuda_stream)
                return
            run = self._as_started()  # the data are copied to the device now
        run.feed(data_node, data, layout, cuda_stream)

    def external_sources(self) -> dict[str, Node]:
        """Return the nodes of the external sources, by name, in the order of their definition."""
        return {source.node.name: source.node for source in self._as_built().plan.sources}

    def input_feed_count(self, input_name: str) -> int:
        """Return how many batches `run` and `schedule_run` start before they need the first.

        A program that feeds an external source by `feed_input` feeds as many before it runs the
        pipeline, so that the pipeline works ahead. One batch is enough for one `run`.
        """
        built = self._as_built()
        fed_source(built.plan, input_name)
        return built.ahead

    def empty(self) -> bool:
        """Return whether no batch was started that nobody has taken yet."""
        return self._run is None or self._run.in_flight == 0

    def fed_names(self) -> list[str]:
        """Return the names of the external sources that `feed_input` feeds."""
        sources = self._as_built().plan.sources
        return [source.node.name for source in sources if source.operator.available() is not None]
