"""`DALIDataset`: the batches of a pipeline as a `tf.data.Dataset`."""

from __future__ import annotations

import json
import threading
import warnings
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from ...engine.arrays import Array
from ...engine.errors import ArgumentError, CheckpointError
from ...engine.pipeline.pipeline import Pipeline
from ...engine.tensors import TensorList
from ..arrays import GenericIterator
from ..base_iterator import LastBatchPolicy, check_uniform
from ..framework_loops import FrameworkLoops
from .inputs import Feed, feeds_of
from .specs import declared_specs, empty, fitted, found_specs

_RAGGED = (
    "give the pipeline a batch_size of 1. Batch output at index {} from DALI pipeline is not "
    "uniform"
)

_OVER = b"over "
"""Start of the state of a loop that has taken the last batch of its epoch."""

_as_it_is: Callable[[Callable[..., object]], Callable[..., object]]
_as_it_is = tf.autograph.experimental.do_not_convert


class _Batches(GenericIterator):
    """NumPy arrays, which TensorFlow takes over without a copy."""

    def convert(self, name: str, output: TensorList, count: int) -> Array:
        check_uniform(name, output, _RAGGED.format(self.output_map.index(name)))
        return super().convert(name, output, count)


class Puller:
    """Hands batches to TensorFlow, whose functions refer to it weakly.

    Each call is given the state that the call before returned: the number of the loop and of its
    batches, and a checkpoint if the pipeline has `enable_checkpointing`. TensorFlow keeps the state
    with its iterator, and saves it by `tf.train.Checkpoint`.

    Args:
        pipeline: the pipeline.
        loops: over an iterator of NumPy arrays.
        feeds: how external sources are fed.

    Attributes:
        specs: of the tensors.
    """

    def __init__(
        self, pipeline: Pipeline, loops: FrameworkLoops[Any], feeds: Sequence[Feed] = ()
    ) -> None:
        self.loops = loops
        self.specs: list[tf.TensorSpec] = []
        self._pipeline = pipeline
        self._feeds = feeds
        self._number = 0  # of the loop
        self._taken = 0  # batches of the loop
        self._state = b""
        self._turn = threading.Lock()

    def look(self) -> dict[str, Array]:
        """Return the first batch by the names of the outputs; take dtypes and shapes from it."""
        try:
            batch: dict[str, Array] = self.loops.look()[0]
        except StopIteration:
            raise ArgumentError("the pipeline has no batch that tells output_dtypes") from None
        self.specs = found_specs(list(batch.values()))
        return batch

    def pull(self, state: bytes, *inputs: object) -> list[tf.Tensor]:
        """Return the next state, whether there is a batch, and the batch."""
        with self._turn:
            if not state:
                self.loops.begin()
                self._number += 1
                self._taken = 0
            elif state != self._state:
                self._resume(state)
            batch = None if state.startswith(_OVER) else self._next_batch(inputs)
            if batch is None:
                return [state, np.False_, *map(empty, self.specs)]
            self._taken += 1
            self._state = self._present_state()
            arrays = [
                fitted(array, spec, i)
                for i, (array, spec) in enumerate(zip(batch.values(), self.specs, strict=True))
            ]
            return [self._state, np.True_, *arrays]

    def _next_batch(self, inputs: Sequence[object]) -> dict[str, Array] | None:
        """Return the next batch, or None at the end of the epoch."""
        self._feed(inputs)
        try:
            batch: dict[str, Array] = self.loops.take()[0]
        except StopIteration:
            for feed in self._feeds:
                feed.source.discard()  # the next loop has its own data
            return None
        return batch

    def _present_state(self) -> bytes:
        saved = json.dumps(self.loops.state_dict()) if self._pipeline.enable_checkpointing else ""
        prefix = _OVER if self.loops.batches.at_end else b""
        return prefix + f"{self._number} {self._taken}\n{saved}".encode()

    def _resume(self, state: bytes) -> None:
        saved = state.partition(b"\n")[2]
        if not saved:
            raise ArgumentError(
                "this iterator cannot go on: another iterator of the same data set has begun, "
                "or a checkpoint was restored. One pipeline serves one iterator at a time: make a "
                "data set with a pipeline of its own for each. With "
                "Pipeline(enable_checkpointing=True) iterators can take turns, and be restored"
            )
        try:
            self.loops.load_state_dict(json.loads(saved))
        except ValueError as error:
            raise CheckpointError(f"the iterator's checkpoint is damaged: {error}") from error
        if not state.startswith(_OVER):
            self.loops.begin()

    def _feed(self, inputs: Sequence[object]) -> None:
        values = iter(inputs)
        for feed in self._feeds:
            batch = feed.batch([next(values) for _ in range(3 if feed.by_sample else 1)])
            self._pipeline.feed_input(feed.name, batch, feed.layout)

    def dataset(self) -> tf.data.Dataset:
        """Return a data set that calls `pull` for each batch, and does not keep this alive."""
        dtypes = [tf.string, tf.bool, *(spec.dtype for spec in self.specs)]
        shapes = [spec.shape for spec in self.specs]
        reference = weakref.ref(self)
        is_fed = bool(self._feeds)

        def pull(*arguments: tf.Tensor) -> list[tf.Tensor]:
            alive = reference()
            if alive is None:
                raise ArgumentError("the data set is gone: keep it as long as its iterators")
            return alive.pull(*arguments)

        @_as_it_is
        def step(state: tf.Tensor, *inputs: tf.Tensor) -> tuple[tf.Tensor, tuple[tf.Tensor, ...]]:
            values = [state, *tf.nest.flatten(inputs)] if is_fed else [state]
            # A stateful operation could not be saved; what is called depends on the state alone.
            state, more, *batch = tf.numpy_function(pull, values, dtypes, stateful=False)
            state.set_shape(())
            more.set_shape(())
            return state, (more, *batch)

        @_as_it_is
        def has_batch(more: tf.Tensor, *batch: tf.Tensor) -> tf.Tensor:
            return more

        @_as_it_is
        def shaped(more: tf.Tensor, *batch: tf.Tensor) -> tuple[tf.Tensor, ...]:
            for tensor, shape in zip(batch, shapes, strict=True):
                tensor.set_shape(shape)
            return batch

        dataset = tf.data.Dataset.counter()
        if is_fed:
            dataset = tf.data.Dataset.zip(tuple(feed.dataset for feed in self._feeds))
        dataset = dataset.scan(tf.constant(b""), step).take_while(has_batch).map(shaped)
        if is_fed:
            dataset = dataset.prefetch(self._pipeline.cpu_queue_size)
        options = tf.data.Options()
        # By default TensorFlow takes batches ahead, which a state of the run would count as seen.
        options.experimental_optimization.inject_prefetch = False
        options.experimental_optimization.map_parallelization = False
        return dataset.with_options(options)


class PulledDataset(tf.data.Dataset):  # type: ignore[misc]  # tensorflow has no types
    """A data set that keeps what its batches come from.

    Args:
        puller: where the batches come from.
        structured: returns an element of a batch's tensors; by default the tuple of them.
    """

    def __init__(self, puller: Puller, structured: Callable[..., object] | None = None) -> None:
        self._puller = puller
        with tf.device("/cpu:0"):
            self._inner = puller.dataset()
            if structured is not None:
                self._inner = self._inner.map(_as_it_is(structured))
        super().__init__(self._inner._variant_tensor)

    def _inputs(self) -> list[tf.data.Dataset]:
        return [self._inner]

    @property
    def element_spec(self) -> Any:
        """The specs of the tensors."""
        return self._inner.element_spec

    def cardinality(self, name: str | None = None) -> tf.Tensor:
        """Return the number of batches of the current epoch, or `tf.data.UNKNOWN_CARDINALITY`."""
        try:
            count = len(self._puller.loops.batches)
        except TypeError:
            count = tf.data.UNKNOWN_CARDINALITY
        return tf.constant(count, tf.int64)

    def state_dict(self) -> dict[str, object]:
        """Return where the run stands after the last batch that was taken, of JSON types.

        Data sets behind this one that take batches ahead, such as `prefetch`, have taken more
        batches than the program has seen. `tf.train.Checkpoint` of an iterator counts exactly.
        """
        return self._puller.loops.state_dict()

    def load_state_dict(self, state_dict: Mapping[str, object]) -> None:
        """Let the next iterator go on from there, also in the middle of an epoch."""
        self._puller.loops.load_state_dict(state_dict)


class DALIDataset(PulledDataset):
    """The batches of a pipeline, a tuple with a tensor for each output.

    If the pipeline's definition returns a dict, a batch is a dict of the same names.

    A tensor of an output on the CPU shares the memory of the pipeline, which is used again only
    after the tensor is gone. Outputs on the GPU are copied to the host, where TensorFlow's data
    sets work. The samples of a batch must have one shape.

    Each iterator is a loop, and each loop an epoch, as with the iterators of other frameworks.
    Without `reader_name` and `size` a pipeline with a reader has no end. One iterator at a time can
    go on: see `Pipeline(enable_checkpointing=True)` for others.

    Args:
        pipeline: the pipeline, which the data set runs.
        output_dtypes: a `tf.DType`, or a tuple with one for each output. By default the first
            batch tells dtypes and shapes, and the number of samples may change.
        output_shapes: a shape, or a tuple with one for each output, as `output_dtypes` is given.
            None stands for an unknown extent or shape. A shape may lack extents of 1.
        fail_on_device_mismatch: without effect, as TensorFlow copies to its device.
        input_datasets: data sets, or `experimental.Input` objects, by the name of the external
            source that each one feeds. They need `output_dtypes`.
        batch_size, num_threads, device_id, prefetch_queue_depth: arguments of the pipeline, by
            default its own. A pipeline that is built must have these values.
        exec_separated, cpu_prefetch_queue_depth, gpu_prefetch_queue_depth: with
            `exec_separated=True` the depths of the pipeline's CPU part and GPU part.
        exec_dynamic: without effect.
        dtypes, shapes: deprecated names of `output_dtypes` and `output_shapes`.
        reader_name: name of the reader whose epochs end the loops.
        size: number of samples in an epoch, in place of `reader_name`.
        last_batch_policy, last_batch_padded: see `penstock.plugin.arrays.GenericIterator`.

    Raises:
        ValueError: the arguments contradict one another or the pipeline.
        TypeError: an argument has the wrong type.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        output_dtypes: object = None,
        output_shapes: object = None,
        fail_on_device_mismatch: bool = True,
        *,
        input_datasets: object = None,
        batch_size: int | None = None,
        num_threads: int | None = None,
        device_id: int | None = None,
        exec_separated: bool = False,
        exec_dynamic: bool = False,
        prefetch_queue_depth: int | None = None,
        cpu_prefetch_queue_depth: int = 2,
        gpu_prefetch_queue_depth: int = 2,
        dtypes: object = None,
        shapes: object = None,
        reader_name: str | None = None,
        size: int = -1,
        last_batch_policy: LastBatchPolicy | str = LastBatchPolicy.FILL,
        last_batch_padded: bool = False,
    ) -> None:
        output_dtypes = _newer("dtypes", output_dtypes, dtypes)
        output_shapes = _newer("shapes", output_shapes, shapes)
        depth: object = prefetch_queue_depth
        if exec_separated:
            depth = {"cpu_size": cpu_prefetch_queue_depth, "gpu_size": gpu_prefetch_queue_depth}
        options = {
            "batch_size": batch_size,
            "num_threads": num_threads,
            "device_id": device_id,
            "prefetch_queue_depth": depth,
        }
        specs = None
        if output_dtypes is not None or output_shapes is not None:
            specs = declared_specs(output_dtypes, output_shapes)
        if not isinstance(pipeline, Pipeline):
            raise TypeError(f"pipeline must be a Pipeline, but is {pipeline!r}")
        pipeline.reconfigure(**{k: v for k, v in options.items() if v is not None})
        feeds = feeds_of(pipeline, input_datasets)
        batches = _Batches(
            pipeline,
            [f"output {i}" for i in range(pipeline.num_outputs)],
            size,
            reader_name,
            last_batch_padded=last_batch_padded,
            last_batch_policy=last_batch_policy,
            prepare_first_batch=False,
        )
        puller = Puller(pipeline, FrameworkLoops(batches), feeds)
        if specs is not None:
            puller.specs = specs
        elif feeds:
            raise ArgumentError("input_datasets need output_dtypes: the first batch is not known")
        else:
            puller.look()
        if len(puller.specs) != pipeline.num_outputs:
            raise ArgumentError(
                f"the pipeline has {pipeline.num_outputs} output(s), but output_dtypes declares "
                f"{len(puller.specs)}"
            )
        super().__init__(puller, _named(pipeline.output_names))


def _named(names: Sequence[str] | None) -> Callable[..., object] | None:
    """Return a function that gives tensors their names; None if the outputs have none."""
    if names is None:
        return None
    return lambda *tensors: dict(zip(names, tensors, strict=True))


def _newer(name: str, value: object, older: object) -> object:
    """Return the value of an argument that was also given under its older name."""
    if older is None:
        return value
    if value is not None:
        raise ArgumentError(
            f"Usage of `{name}` is deprecated in favor of `output_{name}`. Both arguments were "
            f"provided, but only `output_{name}` should be provided."
        )
    warnings.warn(
        f"Use of argument `{name}` is deprecated. Please use `output_{name}` instead. "
        f"`output_{name}` should be provided as a tuple or a single value.",
        DeprecationWarning,
        stacklevel=3,
    )
    return tuple(older) if isinstance(older, list) else older
