"""A callback of Keras that saves where the data of a run stand."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Protocol

import keras

from ...engine.errors import ArgumentError, CheckpointError
from ...engine.run.checkpointing import write_file


class Resumable(Protocol):
    """Data with a state of JSON types: `KerasDataset`, `DALIDataset`, and iterators."""

    def state_dict(self) -> dict[str, object]:
        """Return the state."""

    def load_state_dict(self, state_dict: dict[str, object]) -> None:
        """Go on from the state."""


class DataBackup(keras.callbacks.Callback):  # type: ignore[misc]  # Keras has no types
    """Saves where the data stand, and goes on from there when `fit` begins.

    The first epoch of a run that goes on has the rest of an epoch. Keras then says that the data
    ran out, and trains the following epochs in full. `keras.callbacks.BackupAndRestore` saves the
    model and the number of the epoch; give both callbacks the same `save_freq`.

    Args:
        data: the data that `fit` trains with: a `KerasDataset` or a `DALIDataset`.
        path: of a file, which is never seen half written.
        save_freq: "epoch", or a number of batches.

    Raises:
        ArgumentError: save_freq is neither.
    """

    def __init__(
        self, data: Resumable, path: str | os.PathLike[str], save_freq: str | int = "epoch"
    ) -> None:
        super().__init__()
        if save_freq != "epoch" and (type(save_freq) is not int or save_freq < 1):
            raise ArgumentError(
                f'save_freq must be "epoch" or a number of batches, not {save_freq!r}'
            )
        self._data = data
        self._path = Path(path)
        self._every = save_freq
        self._batches = 0

    def on_train_begin(self, logs: object = None) -> None:
        """Go on from the file, if there is one."""
        self._batches = 0
        if self._path.exists():
            try:
                saved = json.loads(self._path.read_bytes())
            except ValueError as error:
                raise CheckpointError(f"{self._path} is damaged: {error}") from error
            self._data.load_state_dict(saved)

    def on_train_batch_end(self, batch: int, logs: object = None) -> None:
        """Save after every `save_freq` batches."""
        self._batches += 1
        if self._every != "epoch" and self._batches % int(self._every) == 0:
            self._save()

    def on_epoch_end(self, epoch: int, logs: object = None) -> None:
        """Save at the end of each epoch."""
        self._save()

    def _save(self) -> None:
        write_file(self._path, json.dumps(self._data.state_dict()).encode())
