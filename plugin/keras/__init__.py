"""Batches for Keras 3, as tensors of its backend.

    from penstock.plugin.keras import KerasDataset

    train = KerasDataset(pipeline, reader_name="Reader")
    model.fit(train, epochs=3)

dataset    `KerasDataset`
backup     `DataBackup`, which saves where the run stands
"""

from ...engine.errors import MissingDependencyError, install_hint

try:
    import keras as keras
except ImportError as error:
    raise MissingDependencyError(
        f"penstock.plugin.keras needs Keras 3 ({error}): {install_hint('keras')}", name=error.name
    ) from error

from .backup import DataBackup
from .dataset import KerasDataset

__all__ = ["DataBackup", "KerasDataset"]
