"""What stands for the outputs of a pipeline in a batch, until the server replaces it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch.utils.data import get_worker_info
from torch.utils.data._utils.collate import default_collate_fn_map

from .....engine.order.selection import Selection
from .....engine.tensors import TensorList
from .transfer import Parcel


class Call:
    """One call of the proxy: the inputs of one sample.

    Attributes:
        server: identifies the server.
        inputs: by the names of the external sources.
        run: the batch of the pipeline that computes the sample, once there is one.
        row: of the sample in that batch.
    """

    def __init__(self, server: str, inputs: dict[str, object]) -> None:
        self.server = server
        self.inputs = inputs
        self.run: Run | None = None
        self.row = 0

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"inputs": {} if self.run else self.inputs}


class Run:
    """One batch of the pipeline: its inputs, and later its outputs.

    Nothing but placeholders refers to a run, so a run that nobody can ask for is gone.

    Args:
        server: identifies the server.
        inputs: the samples of each input, by name; a `Parcel`, if a worker process made it.
        size: number of samples.

    Attributes:
        samples: which samples these are, for random numbers; None if that is unknown.
        queued: whether the server has taken the run.
        result: the outputs of the pipeline, or the error of the batch.
        tensors: the outputs as PyTorch's tensors, as far as a program has asked for them.
    """

    def __init__(self, server: str, inputs: Parcel | dict[str, list[object]], size: int) -> None:
        self.server = server
        self.inputs = inputs
        self.size = size
        self.samples: Selection | None = None
        self.queued = False
        self.result: tuple[TensorList, ...] | BaseException | None = None
        self.tensors: dict[int, Any] = {}

    def __reduce__(self) -> Any:
        return Run, (self.server, self.inputs, self.size)


def run_of(calls: Sequence[Call]) -> Run:
    """Return a batch of the pipeline that computes these calls, in this order.

    A worker process packs the inputs at once: an error must not arise later, in the thread that
    sends the batch.
    """
    inputs: Any = {name: [call.inputs[name] for call in calls] for name in calls[0].inputs}
    if get_worker_info() is not None:
        inputs = Parcel(inputs)
    run = Run(calls[0].server, inputs, len(calls))
    for row, call in enumerate(calls):
        call.run, call.row = run, row
    return run


class DALIOutputSampleRef:
    """Stands for one sample of an output of the pipeline: what the proxy returns.

    Args:
        call: the call of the proxy.
        output_idx: number of the output.
    """

    def __init__(self, call: Call, output_idx: int) -> None:
        self.call = call
        self.output_idx = output_idx

    def __repr__(self) -> str:
        return f"DALIOutputSampleRef(inputs={list(self.call.inputs)}, output_idx={self.output_idx})"


class DALIOutputBatchRef:
    """Stands for a batch of an output of the pipeline: what `default_collate` makes of samples.

    Args:
        run: the batch of the pipeline.
        output_idx: number of the output.
    """

    def __init__(self, run: Run, output_idx: int) -> None:
        self.run = run
        self.output_idx = output_idx

    def __repr__(self) -> str:
        return f"DALIOutputBatchRef(samples={self.run.size}, output_idx={self.output_idx})"


Placeholder = DALIOutputSampleRef | DALIOutputBatchRef


def collate_outputs(
    samples: Sequence[DALIOutputSampleRef], *, collate_fn_map: object = None
) -> DALIOutputBatchRef:
    """Return what stands for the batch of these samples; `default_collate` calls this.

    Args:
        samples: what the proxy returned for each sample of the batch.
        collate_fn_map: without effect.

    Raises:
        TypeError: something else is among the samples.
        RuntimeError: the samples are of several servers or outputs.
    """
    for sample in samples:
        if not isinstance(sample, DALIOutputSampleRef):
            raise TypeError(
                "a batch mixes outputs of the proxy with other data, here a "
                f"{type(sample).__name__}: call the proxy for each sample, or for none"
            )
    kinds = {(sample.call.server, sample.output_idx) for sample in samples}
    if len(kinds) != 1:
        raise RuntimeError(
            "All samples should belong to the same batch, but these are of "
            f"{len(kinds)} servers or outputs: each place of a data set's item must hold the same "
            "output of the same pipeline for every sample"
        )
    calls = [sample.call for sample in samples]
    run = calls[0].run  # of another output of the same calls
    rows = [(call.run, call.row) for call in calls]
    if run is None or run.size != len(calls) or rows != [(run, i) for i in range(run.size)]:
        run = run_of(calls)
    return DALIOutputBatchRef(run, samples[0].output_idx)


default_collate_fn_map[DALIOutputSampleRef] = collate_outputs
