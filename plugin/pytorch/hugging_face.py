"""The Trainer of Hugging Face with iterators in the place of data sets.

    from penstock.plugin.pytorch.hugging_face import Trainer

    trainer = Trainer(model, arguments, train_dataset=batches, eval_dataset=validation)
    trainer.train(resume_from_checkpoint=True)

The batches must be dictionaries with the names that the model's `forward` takes, such as
"pixel_values" and "labels": a definition returns them, and `batch_form="dict"` hands them out.

Each checkpoint of the Trainer has the iterator's state in a file. A run that resumes has the
samples that the unbroken run has, also in the middle of an epoch, and with gradient accumulation.
Batch size and number of processes must be the same, because the Trainer counts steps.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from torch.utils.data import IterableDataset

from ...engine.errors import MissingDependencyError
from ...engine.graph.callers import warn_caller
from ..base_iterator import AnyIterator, BaseIterator
from .accelerate import Loader

try:
    import transformers
    from transformers.trainer_utils import get_last_checkpoint
except ImportError as error:
    raise MissingDependencyError(
        f"penstock.plugin.pytorch.hugging_face needs transformers and accelerate ({error}): "
        "pip install 'transformers[torch]'",
        name=error.name,
    ) from error

__all__ = ["IteratorMixin", "Trainer"]

STATE_FILE = "penstock_iterator.json"
"""Name of the file in a checkpoint's folder that holds the state of the iterator."""

if TYPE_CHECKING:
    _Base = transformers.Trainer  # of which the class is a part
else:
    _Base = object


class IteratorMixin(_Base):
    """Lets any subclass of the Trainer take iterators: `class Mine(IteratorMixin, Seq2SeqTrainer)`.

    `train_dataset`, `eval_dataset` and the data set of `predict` may be iterators. Other data sets
    are treated as ever.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.add_callback(_StateSaver)

    def get_train_dataloader(self) -> Any:
        """Return the batches of training."""
        if isinstance(self.train_dataset, BaseIterator):
            return _Loader(self.train_dataset, self.accelerator)
        return super().get_train_dataloader()

    def get_eval_dataloader(self, eval_dataset: Any = None) -> Any:
        """Return the batches of validation: `eval_dataset`, or its entry of that name."""
        chosen = self.eval_dataset if eval_dataset is None else eval_dataset
        if isinstance(chosen, str):
            chosen = cast("dict[str, Any]", self.eval_dataset)[chosen]
        if isinstance(chosen, BaseIterator):
            return _Loader(chosen, self.accelerator)
        return super().get_eval_dataloader(eval_dataset)

    def get_test_dataloader(self, test_dataset: Any) -> Any:
        """Return the batches of `predict`."""
        if isinstance(test_dataset, BaseIterator):
            return _Loader(test_dataset, self.accelerator)
        return super().get_test_dataloader(test_dataset)

    def num_examples(self, dataloader: Any) -> int:
        """Return the number of samples in an epoch of all processes together."""
        if isinstance(dataloader, _Loader) and dataloader.batches.size > 0:
            return int(dataloader.batches.size * self.args.world_size)
        return int(super().num_examples(dataloader))

    def train(self, resume_from_checkpoint: Any = None, *args: Any, **options: Any) -> Any:
        """Train, and go on from a checkpoint if asked for: see `transformers.Trainer.train`."""
        folder = resume_from_checkpoint
        if folder is True:
            folder = get_last_checkpoint(self.args.output_dir)
        if folder and isinstance(self.train_dataset, BaseIterator):
            _restore(self.train_dataset, Path(folder) / STATE_FILE)
        return super().train(resume_from_checkpoint, *args, **options)


class Trainer(IteratorMixin, transformers.Trainer):
    """`transformers.Trainer` that takes iterators: see `IteratorMixin`."""


class _Loader(Loader):
    """Has the attributes of a DataLoader that the Trainer uses.

    A DataLoader itself would warn if an epoch has more batches than the one before.
    """

    batch_size = None
    drop_last = False
    prefetch_factor = None

    def __init__(self, batches: AnyIterator, accelerator: object) -> None:
        super().__init__(batches, accelerator)
        self.dataset = _RestOfEpoch(batches)


class _RestOfEpoch(IterableDataset[Any]):
    """An epoch that resumes, with a placeholder for each batch before the checkpoint.

    The Trainer makes a DataLoader of this data set, and skips as many batches as the epoch had
    before. So its count of steps is right, and nothing is read twice.
    """

    def __init__(self, batches: AnyIterator) -> None:
        self._batches = batches

    def __iter__(self) -> Iterator[Any]:
        loop = iter(self._batches)
        yield from [None] * self._batches.step
        yield from loop


class _StateSaver(transformers.TrainerCallback):
    """Writes the state of the iterator into each checkpoint."""

    def on_save(self, args: Any, state: Any, control: object, **others: object) -> None:
        loader = others.get("train_dataloader")
        folder = Path(args.output_dir) / f"checkpoint-{state.global_step}"
        if isinstance(loader, _Loader) and args.should_save and folder.is_dir():
            text = json.dumps(loader.state_dict())
            (folder / STATE_FILE).write_text(text, encoding="utf-8")


def _restore(batches: AnyIterator, file: Path) -> None:
    if not file.is_file():
        warn_caller(
            f"{file.parent} holds no state of the iterator ({file.name}), so the batches begin "
            "with the first epoch; the checkpoint was written by another Trainer",
            UserWarning,
        )
        return
    batches.load_state_dict(json.loads(file.read_text(encoding="utf-8")))
