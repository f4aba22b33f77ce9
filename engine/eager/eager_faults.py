"""The error policy of operators that run one by one: see `work/faults.py`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ..graph.inputs import SeekableInput
from ..graph.nodes import Node
from ..work.batch import Batch
from ..work.chain import Chain
from ..work.faults import Faults
from ..work.plan import Group, InputNode, Plan, groups_of, stepwise_plan
from ..work.plans import Plans
from .eager_runner import EagerRunner


class EagerFaults:
    """Applies a policy to the samples that fail in one operator after the other.

    A pipeline applies it at the end of a segment: it copies a sample in all results of this segment
    and of those before. Here some of these results are computed later, and have the copy then.

    Args:
        runner: runs the operators.
        policy: "raise", "skip" or "replace".
        log: path of the quarantine log, or None.
    """

    def __init__(self, runner: EagerRunner, policy: str, log: Path | None) -> None:
        self.policy = policy
        self._runner = runner
        self._log = log
        self._faults: Faults | None = None
        self._noted: set[object] = set()  # the readers whose files are in the log
        self._copied: dict[int, Group] = {}  # by row: the group in which the row failed

    def begin(self) -> None:
        """Begin a batch."""
        self._copied.clear()

    def settle(self, nodes: Sequence[Node], node: Node, batch: Batch) -> bool:
        """Apply the policy to the rows that failed in a node.

        Args:
            nodes: of the batch so far.
            node: the one that ran.
            batch: has its results and errors.

        Returns:
            whether rows of other nodes may have changed.
        """
        reader = node.operator
        if isinstance(reader, SeekableInput) and reader not in self._noted:
            self._noted.add(reader)
            if reader.left_out():
                self._of(nodes).note_left_out(InputNode(node, reader))
        if not (batch.errors or self._copied):
            return False
        group = groups_of(nodes)[node.ordinal]
        faults = self._of(nodes)
        for row, failed in self._copied.items():
            if group <= failed:
                batch.errors.pop(row, None)
                faults.copy_row(batch, node.ordinal, row, batch.rows.copied[row])
        if not batch.errors:
            return False
        batch.plan = stepwise_plan(nodes)
        faults.settle(batch, node.ordinal)
        self._copied |= {row: group for row in batch.rows.copied if row not in self._copied}
        end, batch.end = batch.end, None
        try:
            if end is not None:
                raise end
        finally:
            del end  # its traceback holds the batch
        return True

    def _of(self, nodes: Sequence[Node]) -> Faults:
        if self._faults is None:
            device = self._runner.device if stepwise_plan(nodes).uses_gpu else None
            self._faults = Faults(self.policy, self._log, _repeats_of, device)
        return self._faults


def _repeats_of(plan: Plan) -> Mapping[int, Chain]:
    return Plans(plan).repeats_of(plan)
