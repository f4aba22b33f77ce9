"""`KerasDataset`: the batches of a pipeline as `Model.fit` takes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import keras

# Keras has no public name of the class whose objects `fit` takes as they are.
from keras.src.trainers.data_adapters.data_adapter import DataAdapter

from ...engine.errors import ArgumentError
from ...engine.pipeline.pipeline import Pipeline
from ...engine.suggestions import not_among
from ..base_iterator import VALID, BaseIterator, LastBatchPolicy
from ..framework_loops import FrameworkLoops

if TYPE_CHECKING:
    import tensorflow as tf

_DEFAULT_NAMES = ("x", "y", "sample_weight")


class KerasDataset(DataAdapter):  # type: ignore[misc]  # Keras has no types
    """What `fit`, `evaluate` and `predict` of a Keras model take as `x` or as `validation_data`.

    Batches are tensors of Keras's backend: of PyTorch or JAX, or a `tf.data.Dataset`, with the
    memory of the pipeline where the backend permits. Each epoch of `fit` is an epoch of the reader.

    Keras ignores its arguments `class_weight`, `shuffle` and `batch_size`: let the pipeline
    shuffle, and return weights of the samples.

    Args:
        pipeline: the pipeline.
        output_map: a name for each output. Default: those of a definition that returns a dict, or
            "x", "y" and "sample_weight".
        x: name of the output that the model gets, by default the first one. A list of names, or a
            dictionary of the model's inputs and names, stands for several.
        y: the same for the targets; by default the second output, if there is one.
        sample_weight: name of the output with the weight of each sample; by default the third. With
            "valid", padding and replacement samples have no weight.
        reader_name, size, last_batch_policy, last_batch_padded: see
            `penstock.plugin.arrays.GenericIterator`. Without `reader_name` and `size` an epoch ends
            when an external source does; with a reader, `fit` needs `steps_per_epoch`.

    Raises:
        ArgumentError: the arguments contradict one another or the pipeline.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        output_map: Sequence[str] | None = None,
        *,
        x: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        reader_name: str | None = None,
        size: int = -1,
        last_batch_policy: LastBatchPolicy | str = LastBatchPolicy.FILL,
        last_batch_padded: bool = False,
    ) -> None:
        if output_map is None:
            output_map = pipeline.output_names or _DEFAULT_NAMES[: pipeline.num_outputs]
        names = list(output_map)
        chosen = {"x": x, "y": y, "sample_weight": sample_weight}
        if x is None:
            chosen |= {
                role: names[i] if given is None and i < len(names) else given
                for i, (role, given) in enumerate(chosen.items())
            }
        self._pipeline = pipeline
        self._roles = _checked(chosen, names)
        options: dict[str, Any] = {
            "reader_name": reader_name,
            "size": size,
            "last_batch_policy": last_batch_policy,
            "last_batch_padded": last_batch_padded,
            "prepare_first_batch": False,
            "with_valid": VALID in _flat(self._roles),
        }
        self._loops = FrameworkLoops(_iterator_class()(pipeline, names, **options))
        self._dataset: object = None

    def __len__(self) -> int:
        """Return the number of batches of the current epoch."""
        return len(self._loops.batches)

    def __iter__(self) -> Iterator[Any]:
        """Begin a loop over (x, y, sample_weight), as far as these are given."""
        for batch in self._loops:
            yield _arranged(batch[0] if isinstance(batch, list) else batch, self._roles)

    get_numpy_iterator = __iter__
    get_jax_iterator = __iter__
    get_torch_dataloader = __iter__

    def get_tf_dataset(self) -> tf.data.Dataset:
        """Return the batches as a `tf.data.Dataset`."""
        if self._dataset is None:
            from ..tf.dataset import PulledDataset, Puller

            puller = Puller(self._pipeline, self._loops)
            names = list(puller.look())
            roles = self._roles  # the data set must not keep this alive

            def structured(*tensors: object) -> Any:
                return _arranged(dict(zip(names, tensors, strict=True)), roles)

            self._dataset = PulledDataset(puller, structured)
        return self._dataset

    @property
    def num_batches(self) -> int | None:
        """Number of batches of an epoch, or None if unknown."""
        try:
            return len(self)
        except TypeError:
            return None

    @property
    def batch_size(self) -> int:
        """Number of samples in a full batch."""
        return self._loops.batches.batch_size

    @property
    def has_partial_batch(self) -> bool | None:
        """None: unknown."""
        return None

    @property
    def partial_batch_size(self) -> int | None:
        """None: unknown."""
        return None

    def state_dict(self) -> dict[str, object]:
        """Return where the run stands, of JSON types."""
        return self._loops.state_dict()

    def load_state_dict(self, state_dict: Mapping[str, object]) -> None:
        """Let the next epoch of `fit` go on from there, also in the middle of an epoch."""
        self._loops.load_state_dict(state_dict)


def _iterator_class() -> type[BaseIterator[Any]]:
    """Return the iterator whose tensors are those of Keras's backend."""
    backend = keras.config.backend()
    if backend == "torch":
        from ..pytorch import GenericIterator as TorchIterator

        return TorchIterator
    if backend == "jax":
        from ..jax import GenericIterator as JaxIterator

        return JaxIterator
    from ..arrays import GenericIterator

    return GenericIterator


def _arranged(batch: Mapping[str, Any], roles: Sequence[Any]) -> object:
    """Return the tensors of a batch as Keras takes them."""
    return tuple(keras.tree.map_structure(batch.__getitem__, role) for role in roles)


def _flat(roles: Any) -> list[Any]:
    names: list[Any] = keras.tree.flatten(roles)
    return names


def _checked(chosen: Mapping[str, Any], names: list[str]) -> list[Any]:
    """Return the names of the outputs for x, y and sample_weight, as far as these are given."""
    for role, value in chosen.items():
        for name in _flat(value) if value is not None else []:
            if name not in names and name != VALID:
                raise ArgumentError(f"{role}: there is no output {not_among(name, names)}")
    roles = list(chosen.values())
    while roles and roles[-1] is None:
        roles.pop()
    if None in roles:
        raise ArgumentError(
            "sample_weight needs y, and y needs x: there are only "
            f"{', '.join(role for role, value in chosen.items() if value is not None)}"
        )
    return roles
