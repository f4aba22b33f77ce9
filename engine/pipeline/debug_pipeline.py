"""`DebugPipeline`: a pipeline whose definition runs anew for each batch, operator by operator."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

from .debug_run import DebugRun
from .pipeline import Pipeline

if TYPE_CHECKING:
    from ..run.config import PipelineConfig
    from .graph_definition import Definition


class DebugPipeline(Pipeline):
    """A pipeline in debug mode: `pipeline_def(debug=True)`.

    Each `run` calls the definition. Each operator runs in the line that calls the operator, so the
    definition can look at values, print them and stop at breakpoints. Samples, random numbers and
    results are those of the pipeline without debug mode. There are no worker threads that run
    ahead, so debug mode is slow.

    The first batch tells which operators there are. `epoch_size`, `reader_meta`, `checkpoint` and
    the like compute it ahead if they are called before `run`.
    """

    def _first_stages(self, config: PipelineConfig, seed: int) -> tuple[Definition, DebugRun]:
        pipeline = weakref.ref(self)
        run = DebugRun(config, seed, self._progress, self._shutdown, self._turn, pipeline)
        return run.definition, run

    def build(self) -> None:
        """Do nothing: the first run makes the operators, and opens the inputs."""
        self._shutdown.check()

    def input_feed_count(self, input_name: str) -> int:
        """Return 1: a batch is computed when it is asked for."""
        return 1

    def _as_defined(self) -> Definition:
        if not self._definition.outputs:
            self._as_started().check_asker()
            self._as_built()
        return self._definition
