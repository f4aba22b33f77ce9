"""A pipeline that computes requests: several of them in one batch, each with an end of its own."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence

import numpy as np

from ..engine.arrays import Array
from ..engine.errors import ArgumentError, WorkerError
from ..engine.graph.inputs import FedSample
from ..engine.pipeline.fed_batches import Failure, FedBatch, FedBatches
from ..engine.pipeline.pipeline import Pipeline
from ..engine.tensors import TensorList
from ..engine.tensors.dtypes import to_numpy_type
from .examples import example_samples
from .requests import BAD_REQUEST, BROKEN, BUSY, RequestError, RequestSamples
from .signature import TensorSpec, datatype_of, decodes_sound, input_spec

Outputs = dict[str, Array]
"""The outputs of a request by name: arrays whose axis 0 runs over its samples."""

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")


class WholeBatchError(RequestError):
    """A batch failed, and no request is known to be at fault: each may be computed alone.

    If that fails so, too, the model is broken.
    """


class Model:
    """A pipeline with a name, whose inputs are requests.

    The model is ready once it is made: the pipeline has computed a made-up sample.

    Args:
        name: of letters, digits, "_", "-" and ".".
        pipeline: not built yet. All its inputs are `fn.external_source(name=...)`.
        outputs: names of the pipeline's outputs; by default its own.
        most_output_bytes: that a sample's output may take: see `FedBatches`.

    Attributes:
        inputs, outputs: what requests bring and get, by name.
        max_batch_size: samples of a batch, and so of a request.
        ahead: batches that may be under way at least.
        threads: samples that are computed at a time; 0 if that is not known, as on the GPU.
        uses_gpu: whether the pipeline has operators on the GPU.

    Raises:
        ArgumentError: the pipeline is no model. The message says why.
    """

    def __init__(
        self,
        name: str,
        pipeline: Pipeline,
        outputs: Sequence[str] | None = None,
        most_output_bytes: int | None = None,
    ) -> None:
        if not _NAME.fullmatch(name):
            raise ArgumentError(
                f"{name!r} is no name of a model, which has letters, digits, '_', '-' and '.'"
            )
        self.name = name
        self._batches = FedBatches(
            pipeline, rows_fail_alone=True, most_output_bytes=most_output_bytes
        )
        self._counts: deque[Sequence[int]] = deque()  # samples of the requests of batches under way
        self.max_batch_size = pipeline.batch_size
        self.ahead = self._batches.ahead
        self.uses_gpu = self._batches.uses_gpu
        self.threads = 0 if self.uses_gpu else pipeline.num_threads
        try:
            self._declared = _fed_inputs(self._batches)
            self.inputs = {
                name: input_spec(name, data, self._batches.users_of(name))
                for name, data in self._declared.items()
            }
            self._output_names = list(outputs or output_names(pipeline))
            self.outputs = self._output_specs(pipeline)
        except BaseException:
            self.close()
            raise

    def _output_specs(self, pipeline: Pipeline) -> dict[str, TensorSpec]:
        """Return the outputs: as the pipeline declares them, or as a made-up sample has them."""
        declared = list(zip(pipeline.output_dtype(), pipeline.output_ndim(), strict=True))
        computed, problem = self._computed_example()
        specs = {}
        for i, name in enumerate(self._output_names):
            dtype, ndim = declared[i]
            if computed:
                dtype, ndim = computed[i].dtype, int(computed[i].ndim)
            if dtype is None or ndim is None:
                raise ArgumentError(
                    f"the type of the output {name!r} is not known: a made-up sample gave none "
                    f"({problem}). Declare the outputs, such as "
                    "pipeline_def(output_dtype=types.FLOAT, output_ndim=3)"
                )
            specs[name] = TensorSpec(name, datatype_of(to_numpy_type(dtype)), ndim)
        return specs

    def _computed_example(self) -> tuple[tuple[TensorList, ...], str]:
        """Return the outputs for a made-up sample; without them, why there are none."""
        samples = {}
        for name, spec in self.inputs.items():
            layout = self._declared[name].layout or ""
            sound = decodes_sound(self._batches.users_of(name))
            samples[name] = [example_samples(spec, layout, sound=sound)]
        self._batches.feed(samples, owned=True)
        batch = self._batches.take()
        failures = [*batch.failures.values(), *([Failure.of(batch.error)] if batch.error else [])]
        if failures:
            return (), f"{failures[0].kind}: {failures[0].text}"
        return batch.outputs, ""

    def feed(self, requests: Sequence[RequestSamples]) -> None:
        """Begin a batch of requests, which together have `max_batch_size` samples at most.

        Raises:
            Exception: the model is broken.
        """
        data = {}
        for name in self.inputs:
            parts = [request.data[name] for request in requests]
            data[name] = parts[0] if len(parts) == 1 else [row for part in parts for row in part]
        self._counts.append([request.size for request in requests])
        self._batches.feed(data, owned=True)

    def take(self) -> list[Outputs | RequestError]:
        """Wait for the oldest batch; return the outputs or the error of each request, in order.

        Raises:
            PipelineStopped: the model was closed.
            Exception: the model is broken.
        """
        batch = self._batches.take()
        counts = self._counts.popleft()
        if any(len(output) != sum(counts) for output in batch.outputs):
            error = ArgumentError("an output of the pipeline has the samples of one branch alone")
            batch = FedBatch((), batch.failures, error)
        batch = batch._replace(outputs=tuple(output.as_cpu() for output in batch.outputs))
        results: list[Outputs | RequestError] = []
        start = 0
        for count in counts:
            results.append(self._result(batch, range(start, start + count), len(counts) > 1))
            start += count
        return results

    def compute(self, requests: Sequence[RequestSamples]) -> list[Outputs | RequestError]:
        """Compute requests in one batch; if it fails as a whole, compute each request alone.

        Raises:
            Exception: the model is broken.
        """
        self.feed(requests)
        results = self.take()
        for i, result in enumerate(results):
            if isinstance(result, WholeBatchError):
                self.feed([requests[i]])
                (again,) = self.take()
                if isinstance(again, WholeBatchError):
                    raise again
                results[i] = again
        return results

    def _result(
        self, batch: FedBatch, rows: range, is_one_of_several: bool
    ) -> Outputs | RequestError:
        for row in rows:
            if row in batch.failures:
                which = f"sample {row - rows.start}: " if len(rows) > 1 else ""
                return _error(RequestError, batch.failures[row], which)
        if batch.error is not None:
            failure = Failure.of(batch.error)
            if isinstance(batch.error, WorkerError):  # a process died; another may go on
                return _error(WholeBatchError, failure, status=BROKEN)
            kind = WholeBatchError if is_one_of_several else RequestError
            status = BUSY if batch.is_error_of_machine else BAD_REQUEST
            return _error(kind, failure, status=status)
        try:
            named = zip(self._output_names, batch.outputs, strict=True)
            return {name: _rows(output, rows, name) for name, output in named}
        except RequestError as error:
            return error

    def close(self) -> None:
        """Close the pipeline."""
        self._batches.close()


def _fed_inputs(batches: FedBatches) -> dict[str, FedSample]:
    """Return what is fed to each input for a sample.

    Raises:
        ArgumentError: the pipeline has no input, or one that is not fed.
    """
    inputs: dict[str, FedSample] = {}
    for node, sample in batches.inputs().items():
        if sample is None:
            raise ArgumentError(
                f"{node} has data of its own; a pipeline to which requests give every batch has no "
                "other inputs than fn.external_source(name=...), without a source and without "
                "num_outputs"
            )
        inputs[node.name] = sample
    if not inputs:
        raise ArgumentError("the pipeline has no input: give one as fn.external_source(name=...)")
    return inputs


def _error(
    kind: type[RequestError], failure: Failure, which: str = "", status: int = BAD_REQUEST
) -> RequestError:
    """Return the error of a request; its notes tell the operators."""
    error = kind(f"{which}{failure.kind}: {failure.text}", status)
    for note in failure.notes:
        if note.startswith(
            "in "
        ):  # others tell the place in a batch, of which clients know nothing
            error.add_note(note)
    return error


def output_names(pipeline: Pipeline) -> list[str]:
    """Return the names of a pipeline's outputs: their own, or OUTPUT_0, OUTPUT_1 and so on."""
    names = pipeline.output_names
    return list(names) if names else [f"OUTPUT_{i}" for i in range(pipeline.num_outputs)]


def _rows(output: TensorList, rows: range, name: str) -> Array:
    """Return some samples of an output as one array."""
    part = output.part(rows)
    if not part.is_dense_tensor():
        shapes = sorted(set(part.shape()))
        raise RequestError(
            f"the samples of the output {name!r} have the shapes {', '.join(map(str, shapes))}, "
            "which make no tensor; send the samples in requests of their own"
        )
    array: Array = np.asarray(part.dense())
    return array.reshape(-1, 1) if array.ndim == 1 else array
