"""What the parts of `Pipeline` share: its state, and the methods that they call."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from ..graph.nodes import DataNode, Graph
from ..order.checkpoint import Checkpoint
from ..run.config import PipelineConfig
from ..tensors import TensorList
from ..tensors.dtypes import DALIDataType
from ..work.plan import Key, Plan
from .outputs import Names

if TYPE_CHECKING:
    from ..run.executor import Executor
    from ..work.batch import Batch


class PipelineBase(ABC):
    """The base of the classes of which `Pipeline` consists; each holds one group of members."""

    _config: PipelineConfig
    _seed: int
    _graph: Graph
    _outputs: tuple[DataNode, ...] | None
    _output_names: Names
    _plan: Plan | None
    _executor: Executor | None
    _delivered: int
    _seen_dtypes: dict[Key, DALIDataType]
    _ahead: int
    _user_state: dict[str, Any]
    _restored: Checkpoint | None
    _restored_at: int
    _closed: str | None
    _turn: threading.RLock

    @abstractmethod
    def _begin(self, options: dict[str, Any]) -> None:
        """Start as a new pipeline with these arguments, and without a graph."""

    @abstractmethod
    def define(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        """Let `function` define the graph."""

    @abstractmethod
    def _define_once(self) -> None:
        """Let `define_graph` define the graph, unless something has defined it."""

    @abstractmethod
    def build(self) -> None:
        """Compile the graph and open the inputs."""

    @abstractmethod
    def run(self, cuda_stream: Any = None, /, **inputs: Any) -> tuple[TensorList, ...]:
        """Return the next batch."""

    @abstractmethod
    def _place(self, plan: Plan) -> None:
        """Give the operators their numbers, and the keys of their random numbers."""

    @abstractmethod
    def _start(self) -> Executor:
        """Return the executor, whose threads run."""

    @abstractmethod
    def _delivered_outputs(self, batch: Batch) -> tuple[TensorList, ...]:
        """Return the outputs of a batch that is done, and count the batch as delivered."""

    @abstractmethod
    def _taken_turn(self) -> AbstractContextManager[None]:
        """Let other threads that ask for batches wait during this block."""

    @abstractmethod
    def _at_rest(self) -> AbstractContextManager[Plan]:
        """Drop the batches under way, let the block change the inputs, and go on."""
