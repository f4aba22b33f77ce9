"""Random steps of augmentations."""

from __future__ import annotations

import numpy as np

from ...engine.graph.context import BatchContext
from ...engine.graph.operator import Array, BatchOperator, register
from ...engine.graph.params import ARRAY, INT, REQUIRED, param
from ...engine.graph.rules import BatchRules


@register
class DrawSteps(BatchOperator):
    """Draws steps for each sample: for each round one of several sequences of steps.

    All sequences are equally likely. A step is kept with its probability, or becomes zeros. Of its
    two forms, for either sign of a magnitude, one is drawn. The steps of the rounds that a sample
    lacks are zeros, too.

    Outputs:
        the steps: of the dtype of `table`, (rounds * stages, width).
    """

    name = "_draw_steps"
    called = "auto_aug"
    batches = BatchRules(sample_independent=True)
    table = param(ARRAY, REQUIRED, "The steps: (sequences, stages, 2 signs, width).")
    probabilities = param(ARRAY, REQUIRED, "Of each step: (sequences, stages).")
    rounds = param(INT, 1, "Number of sequences to draw for a sample.", minimum=1)
    fewest_rounds = param(
        INT, None, "If given, the number is drawn from this one to `rounds`.", minimum=1
    )

    def prepare(self) -> None:
        if self.table.ndim != 4 or self.table.shape[:2] != self.probabilities.shape:
            self.refuse(
                f"the table of steps has the shape {self.table.shape}, and the probabilities "
                f"{self.probabilities.shape}; expected (sequences, stages, 2, width) and "
                "(sequences, stages)"
            )

        if self.fewest_rounds is not None and self.fewest_rounds > self.rounds:
            self.refuse(f"fewest_rounds={self.fewest_rounds} exceeds rounds={self.rounds}")

    def batch(self, batch: BatchContext) -> Array:
        sequences, stages, signs, width = self.table.shape
        varies = self.fewest_rounds is not None
        drawn = batch.random(self, self.rounds * (1 + 2 * stages) + varies)
        numbers = drawn[:, varies:].reshape(batch.size, self.rounds, 1 + 2 * stages)
        chosen = (numbers[..., 0] * sequences).astype(np.intp)
        kept = numbers[..., 1 : 1 + stages] < self.probabilities[chosen]
        sign = (numbers[..., 1 + stages :] * signs).astype(np.intp)
        steps: Array = self.table[chosen[..., np.newaxis], np.arange(stages), sign]
        steps[~kept] = 0
        if self.fewest_rounds is not None:
            choices = self.rounds - self.fewest_rounds + 1
            count = self.fewest_rounds + (drawn[:, :1] * choices).astype(np.intp)
            steps[np.arange(self.rounds) >= count] = 0
        return steps.reshape(batch.size, self.rounds * stages, width)
