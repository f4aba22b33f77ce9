"""How far an iterator is: in its epoch, and in what its pipelines deliver."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ..engine.pipeline.pipeline import Pipeline
    from ..engine.tensors import TensorList


class Counted(NamedTuple):
    """What the arguments of an iterator say of the samples that an epoch has.

    Attributes:
        reader: name of the reader that counts them, or None.
        size: their number; -1 if the reader or the end of the data says it.
        padded: whether the last batch is padded already.
    """

    reader: str | None
    size: int
    padded: bool


class Progress:
    """How far an iterator is in its epoch.

    Args:
        step: batches that were handed out before, such as before a checkpoint.

    Attributes:
        step: number of the next batch.
        first_step: number of the first batch that is handed out here.
        saved_basis: basis of the iterator whose state was just loaded, if any.
        ended: whether the epoch's end was seen.
        in_loop: whether a loop has taken batches of the epoch.
        between: whether the epoch has begun, and the loop over the last one must still end.
    """

    def __init__(self, step: int) -> None:
        self.step = self.first_step = step
        self.saved_basis: Mapping[str, Any] | None = None
        self.ended = False
        self.in_loop = False
        self.between = False

    @property
    def has_moved(self) -> bool:
        """Whether a batch was handed out here."""
        return self.step > self.first_step


class Supply:
    """What the pipelines of an iterator deliver.

    Attributes:
        exhausted: whether a pipeline has raised StopIteration.
        discard: number of batches that are dropped before the next.
        prepared: whether the pipelines have begun their next batch already.
    """

    def __init__(self) -> None:
        self.exhausted = False
        self.discard = 0
        self.prepared = False

    def restart(self, discard: int = 0, *, exhausted: bool = False) -> None:
        """Begin to count anew, because the pipelines stand elsewhere."""
        self.discard, self.exhausted = discard, exhausted

    def run(self, pipelines: Sequence[Pipeline]) -> list[tuple[TensorList, ...]] | None:
        """Return the next outputs of all pipelines; None if one of them is at its end."""
        prepared, self.prepared = self.prepared, False
        try:
            return [p.outputs() if prepared else p.run() for p in pipelines]
        except StopIteration:
            self.exhausted = True
            return None
