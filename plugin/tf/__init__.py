"""Batches as data sets of TensorFlow, without a compiler.

    from penstock.plugin.tf import DALIDataset

    train = DALIDataset(pipeline, reader_name="Reader")
    model.fit(train, epochs=3)

dataset             `DALIDataset`
specs               dtypes and shapes that are declared
inputs              data sets that feed external sources
experimental        DALI's names of the latter
session_operator    the operator of TensorFlow 1
"""

from __future__ import annotations

from ...engine.errors import MissingDependencyError, install_hint

try:
    import tensorflow as tf
except ImportError as error:
    raise MissingDependencyError(
        f"penstock.plugin.tf needs TensorFlow ({error}): {install_hint('tensorflow')}",
        name=error.name,
    ) from error

from . import experimental as experimental
from .dataset import DALIDataset
from .session_operator import DALIIterator, DALIIteratorWrapper, DALIRawIterator

__all__ = [
    "DALIDataset",
    "DALIIterator",
    "DALIIteratorWrapper",
    "DALIRawIterator",
    "dataset_compatible_tensorflow",
    "dataset_distributed_compatible_tensorflow",
    "dataset_inputs_compatible_tensorflow",
    "dataset_options",
]


def dataset_options() -> tf.data.Options:
    """Return options that switch off TensorFlow's own tuning of data sets."""
    options = tf.data.Options()
    options.experimental_optimization.apply_default_optimizations = False
    options.autotune.enabled = False
    return options


def dataset_compatible_tensorflow() -> bool:
    """Return True: `DALIDataset` works with every release that Penstock admits."""
    return True


def dataset_inputs_compatible_tensorflow() -> bool:
    """Return True: data sets may feed pipelines."""
    return True


def dataset_distributed_compatible_tensorflow() -> bool:
    """Return True: `tf.distribute` takes these data sets."""
    return True
