"""The members of a pipeline that tell what its work costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .pipeline_base import PipelineBase

if TYPE_CHECKING:
    from ..work.memory_figures import OperatorMemory
    from ..work.stats import PipelineStats


class MeasuredPipeline(PipelineBase):
    """The part of a `Pipeline` that measures it."""

    def stats(self) -> PipelineStats:
        """Return where the time went, stage by stage; `print` it for a table."""
        return (self._executor or self._start()).stats()

    def executor_statistics(self) -> dict[str, OperatorMemory]:
        """Return the memory of operators' results, by the name of the operator in the graph.

        The pipeline measures it if it was made with `enable_memory_stats=True`; otherwise there are
        no entries. Operators whose results stay in a worker's scratch memory have no entry, because
        workers use that memory again for the next sample.

        Returns:
            for each operator lists with a number of bytes for each of its outputs:

            * real_memory_size: of all samples of the largest batch.
            * max_real_memory_size: of the largest sample.
            * reserved_memory_size: of the memory that held the largest batch.
            * max_reserved_memory_size: of the memory that held the largest sample.
        """
        return {} if self._executor is None else self._executor.memory_statistics()
