"""Where the run of a pipeline stands."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..order.checkpoint import Checkpoint
from ..run.checkpointing import snapshots, states_of
from ..work.plan import Plan


@dataclass(eq=False)
class Progress:
    """What was delivered, since the checkpoint from which the run goes on.

    Attributes:
        restored: the checkpoint, or None.
        restored_at: number of batches that were delivered before.
        delivered: number of batches.
        user_state: the state of each source after these batches, by its name.
    """

    restored: Checkpoint | None
    restored_at: int = 0
    delivered: int = 0
    user_state: dict[str, object] = field(default_factory=dict)

    def begin(self, plan: Plan) -> None:
        """Begin with the inputs' states in the checkpoint, if there is one."""
        self.user_state = states_of(plan, self.restored)

    def note_sources(self, plan: Plan) -> None:
        """Take the sources' present states, for a checkpoint that is made now."""
        self.user_state |= snapshots(plan)

    def deliver(self, user_state: dict[str, object]) -> None:
        """Count a batch, after which the sources have these states."""
        self.delivered += 1
        self.user_state = user_state

    def restore(self, saved: Checkpoint, states: dict[str, object]) -> None:
        """Go on from a checkpoint, with these states of the inputs."""
        self.restored, self.restored_at = saved, self.delivered
        self.user_state = states

    @property
    def has_moved(self) -> bool:
        """Whether a batch was delivered since."""
        return self.delivered > self.restored_at

    def restore_sources(self, plan: Plan) -> None:
        """Let the sources go on behind what was delivered, after batches were dropped."""
        for source in plan.sources:
            source.operator.restore(self.delivered, self.user_state.get(source.node.name))

    def first_sample(self, batch_size: int) -> int:
        """Return the position of the first sample of batch 0; a checkpoint may be of later ones."""
        if self.restored is None:
            return 0
        return self.restored.samples - self.restored_at * batch_size

    def next_sample(self, batch_size: int) -> int:
        """Return the position of the first sample of the next batch."""
        return self.first_sample(batch_size) + self.delivered * batch_size
