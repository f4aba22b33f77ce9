"""The server: one pipeline that computes a part of what many worker processes load."""

from __future__ import annotations

import threading
import uuid
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from inspect import Parameter, Signature
from keyword import iskeyword
from typing import Any, Never, Self

import torch

from .....engine.errors import ArgumentError, PenstockError, PipelineStopped
from .....engine.pipeline.debug_pipeline import DebugPipeline
from .....engine.pipeline.fed_batches import FedBatches
from .....engine.pipeline.pipeline import Pipeline
from ....base_iterator import check_uniform
from ...sharing import dense, row
from .placeholders import Call, DALIOutputSampleRef, Placeholder, Run, run_of
from .replacement import placeholders, replaced
from .transfer import as_input, fed

_ADVICE = (
    "keep the samples apart: a collate_fn such as `list` leaves one tensor for each sample in "
    "the batch"
)

Tag = Callable[[Sequence[Run]], None]
"""Says which samples each run computes, by its attribute `samples`."""


class Proxy:
    """Called in place of the pipeline, in any process: returns what stands for its outputs.

    Args:
        server: identifies the server.
        names: of the external sources.
        outputs: number of outputs.
        output_names: their names, if the pipeline returns a dictionary.
    """

    def __init__(
        self, server: str, names: Sequence[str], outputs: int, output_names: Sequence[str] | None
    ) -> None:
        self._server = server
        self._outputs = outputs
        self._output_names = output_names
        kind = Parameter.POSITIONAL_OR_KEYWORD if len(names) == 1 else Parameter.KEYWORD_ONLY
        self.__signature__ = Signature([Parameter(name, kind) for name in names])

    def __call__(self, *args: object, **kwargs: object) -> Any:
        """Take the inputs of one sample; return a placeholder, or one for each output.

        A pipeline with several outputs has a tuple of them, and one that returns a dictionary has
        a dictionary.

        Raises:
            ArgumentError: the arguments are not one value for each external source, or a value is
                no array. The error is a ValueError, too.
        """
        try:
            bound = self.__signature__.bind(*args, **kwargs)
        except TypeError as error:
            given = ", ".join(
                [
                    *(type(value).__name__ for value in args),
                    *(f"{name}={type(value).__name__}" for name, value in kwargs.items()),
                ]
            )
            raise ArgumentError(
                f"Expected signature is: {self.__signature__}. Got: ({given}), error: {error}"
            ) from None
        inputs = {name: as_input(name, value) for name, value in bound.arguments.items()}
        call = Call(self._server, inputs)
        outputs = tuple(DALIOutputSampleRef(call, i) for i in range(self._outputs))
        if self._output_names is not None:
            return dict(zip(self._output_names, outputs, strict=True))
        return outputs[0] if len(outputs) == 1 else outputs


class DALIServer:
    """Runs a pipeline on inputs that data sets give to `proxy`, in this and in other processes.

    Worker processes send the inputs with their batch, so the server needs no connection of its
    own, and no thread. The pipeline's threads work on the batches that were submitted. An error of
    the pipeline ends its batch alone.

    Args:
        pipeline: has external sources without `source`. The pipeline must not be run otherwise.
        deterministic: let the random numbers of a sample follow from the pipeline's seed, the
            epoch and the sample's index in the data set. They do not depend on the number of
            workers, the batch size and timing. This needs the `DataLoader` beside this class. With
            another loader they follow from the order in which `produce_data` gets the batches.

    Raises:
        TypeError: `pipeline` is no pipeline, or one in debug mode.
        RuntimeError: the pipeline has no inputs.

    >>> import numpy as np
    >>> from penstock import fn, pipeline_def
    >>> from penstock.plugin.pytorch.experimental import proxy
    >>> @pipeline_def(batch_size=2, num_threads=1)
    ... def doubled():
    ...     return fn.external_source(name="numbers") * 2
    >>> with proxy.DALIServer(doubled()) as server:
    ...     items = [(server.proxy(np.float32(i)), i) for i in range(2)]
    ...     server.produce_data(torch.utils.data.default_collate(items))
    [tensor([0., 2.]), tensor([0, 1])]
    """

    def __init__(self, pipeline: Pipeline, deterministic: bool = False) -> None:
        if not isinstance(pipeline, Pipeline):
            raise TypeError(f"Expected a pipeline, got: {pipeline!r}")
        if isinstance(pipeline, DebugPipeline):
            raise TypeError("Expected a pipeline without debug=True, which computes batches ahead")
        names = pipeline.fed_names()
        if not names:
            raise RuntimeError(
                "The provided pipeline doesn't have any inputs: give it "
                'fn.external_source(name="...") without a source'
            )
        if odd := [name for name in names if not name.isidentifier() or iskeyword(name)]:
            raise ArgumentError(
                f"the external source {odd[0]!r} needs a name that can be an argument of the proxy"
            )
        self.deterministic = deterministic
        self._batches = FedBatches(pipeline)
        self._most = pipeline.max_batch_size
        self._id = uuid.uuid4().hex
        self._proxy = Proxy(self._id, names, pipeline.num_outputs, pipeline.output_names)
        self._lock = threading.RLock()
        self._waiting: deque[weakref.ref[Run]] = deque()
        self._running: deque[weakref.ref[Run]] = deque()  # in the pipeline
        self._torn = False  # an exception came between two steps that belong together
        self._serves = False

    def __reduce__(self) -> Never:
        raise TypeError(
            "a DALIServer stays in its process; give the data set `server.proxy`, not the server"
        )

    @property
    def proxy(self) -> Proxy:
        """Takes the inputs of one sample, and returns what stands for the outputs.

        A pipeline with one external source takes its sample by position or by name. Others take
        theirs by name. The proxy can be copied to other processes.
        """
        return self._proxy

    @property
    def _thread(self) -> threading.Thread | None:
        """The pipeline's thread that starts batches, while the server is used."""
        return self._batches.feeder if self._serves else None

    def start_thread(self) -> None:
        """Do nothing but note that the server is used. The first batch starts the pipeline."""
        self._serves = True

    def stop_thread(self) -> None:
        """Drop the batches that are under way. The server may be used again."""
        with self._lock:
            for run in self._alive([*self._waiting, *self._running]):
                run.queued = False
            self._torn = bool(self._running) or self._torn  # no wait: the next use discards them
            self._waiting.clear()
            self._running.clear()
            self._serves = False

    def __enter__(self) -> Self:
        self.start_thread()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop_thread()

    def produce_data(self, obj: object) -> Any:
        """Return `obj` with the pipeline's outputs in place of all placeholders.

        Placeholders may stand in lists, tuples, dictionaries and attributes of objects, at any
        depth. Lists, dictionaries and objects are changed in place.

        A placeholder that `default_collate` made becomes a tensor of shape (batch, *sample).
        Other placeholders become a tensor of one sample each, so samples may differ in shape.

        Raises:
            Exception: what the pipeline raised for a batch, with its own type and notes.
            ArgumentError: the samples of a batch differ in shape, or `obj` is of another server.
        """
        return self.produce(obj, self.submit(obj), pin=False)

    def submit(self, data: object, tag: Tag | None = None) -> list[Placeholder]:
        """Begin to compute all placeholders in `data`; return them.

        Args:
            data: anything that `produce_data` takes.
            tag: says which samples the runs compute that are new to the server.
        """
        found = placeholders(data)
        if found:
            with self._lock:
                runs = [run for run in self._runs_of(found) if run.result is None]
                if tag is not None:
                    tag(runs)
                self._serves = True
                self._mend()
                for run in runs:
                    if not run.queued:
                        self._waiting.append(weakref.ref(run))
                        run.queued = True
                self._start_waiting()
        return found

    def produce(self, data: object, found: Sequence[Placeholder], *, pin: bool) -> Any:
        """Return `data` with the placeholders that `submit` has found replaced.

        Args:
            data: as given to `submit`.
            found: as returned by `submit`.
            pin: copy tensors that are not on a device to page-locked memory.
        """
        if not found:
            return data
        outputs = {id(placeholder): self._output(placeholder) for placeholder in found}
        if pin:
            outputs = {key: pinned(tensor) for key, tensor in outputs.items()}
        return replaced(data, outputs)

    def _runs_of(self, found: Sequence[Placeholder]) -> list[Run]:
        """Return the runs of placeholders, once each; make runs of samples that have none."""
        calls = [
            placeholder.call
            for placeholder in found
            if isinstance(placeholder, DALIOutputSampleRef)
        ]
        new = list(dict.fromkeys(call for call in calls if call.run is None))
        for start in range(0, len(new), self._most):
            run_of(new[start : start + self._most])
        runs = list(dict.fromkeys(map(_run_of, found)))
        if any(run.server != self._id for run in runs):
            raise ArgumentError("the data are of the proxy of another server")
        return runs

    def _output(self, placeholder: Placeholder) -> torch.Tensor:
        run, i = _run_of(placeholder), placeholder.output_idx
        outputs = self._result(run)
        if isinstance(placeholder, DALIOutputSampleRef):
            return row(outputs[i], placeholder.call.row)
        if i not in run.tensors:
            check_uniform(str(i), outputs[i], _ADVICE)
            run.tensors[i] = dense(outputs[i], run.size)
        tensor: torch.Tensor = run.tensors[i]
        return tensor

    # The pipeline. An exception, such as one of a signal's handler, may come at any line.

    def _result(self, run: Run) -> Any:
        """Wait for the outputs of a run."""
        while run.result is None:
            with self._lock:
                self._mend()
                if not run.queued:
                    raise PipelineStopped("the server was stopped while a batch was waited for")
                self._start_waiting()
                if run.result is None:
                    self._take()
                self._start_waiting()  # the pipeline works on while the program does
        if isinstance(run.result, BaseException):
            raise run.result
        return run.result

    def _start_waiting(self) -> None:
        """Start runs in the pipeline, as many as it works on ahead."""
        while self._waiting and len(self._running) < self._batches.ahead:
            run = self._waiting[0]()
            if run is None or run.result is not None:
                self._waiting.popleft()
                continue
            self._torn = True
            self._running.append(self._waiting[0])
            self._waiting.popleft()
            try:
                owned = not isinstance(run.inputs, dict)
                self._batches.feed(fed(run.inputs), run.samples, owned=owned)
            except PipelineStopped:
                raise
            except PenstockError as error:  # the inputs are wrong
                run.result = error
                self._mend()
                continue
            self._torn = False

    def _take(self) -> None:
        """Wait for the run that started first."""
        self._torn = True
        outputs, _, error = self._batches.take()
        run = self._running[0]()
        if run is not None:
            run.result = outputs if error is None else error
            run.inputs = {}
        self._running.popleft()
        self._torn = False

    def _mend(self) -> None:
        """After an exception between two steps: begin anew with what the pipeline had."""
        if self._torn:
            again = {id(run): run for run in self._alive([*self._running, *self._waiting])}
            self._waiting = deque(map(weakref.ref, again.values()))
            self._running.clear()
            self._batches.discard()
            self._torn = False

    def _alive(self, runs: Sequence[weakref.ref[Run]]) -> list[Run]:
        return [
            run for reference in runs if (run := reference()) is not None and run.result is None
        ]


def _run_of(placeholder: Placeholder) -> Run:
    if isinstance(placeholder, DALIOutputSampleRef):
        assert placeholder.call.run is not None
        return placeholder.call.run
    return placeholder.run


def pinned(tensor: torch.Tensor) -> torch.Tensor:
    """Return a tensor in page-locked memory, or a tensor that lies on a device."""
    return tensor.pin_memory() if tensor.device.type == "cpu" else tensor
