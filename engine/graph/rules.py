"""What an operator declares besides its arguments: its inputs, and rules that the engine keeps.

Each declaration is a value, which a subclass that says something else declares anew. What is left
out of a value is safe for every operator.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..errors import ArgumentError


@dataclass(frozen=True)
class Input:
    """An input of an operator. In `Operator.inputs`, a name alone stands for `Input(name)`.

    Attributes:
        name: the name in signatures and messages.
        optional: whether it may be left out, with all inputs after it.
        many: whether it stands for any number of inputs; only the last input may.
        device: where it must be if the operator runs on the GPU: "same" means there, and "any"
            either device. An input with "cpu" is read on the CPU, wherever the operator runs; data
            on the GPU are copied.
        may_change: whether the operator may write to it. Data that others read are copied for it.

    Raises:
        ArgumentError: the name is no identifier.

    >>> inputs = ("images", Input("labels", optional=True, device="any"))
    """

    name: str
    optional: bool = False
    many: bool = False
    device: Literal["same", "cpu", "any"] = "same"
    may_change: bool = False

    def __post_init__(self) -> None:
        if not self.name.isidentifier():
            plain = self.name.strip("?*")
            meant = {"optional": self.name.endswith("?"), "many": self.name.startswith("*")}
            words = "".join(f", {word}=True" for word, is_meant in meant.items() if is_meant)
            raise ArgumentError(
                f"the name of an input is {self.name!r}, which is no identifier; "
                f"declare it as Input({plain!r}{words})"
            )

    def __str__(self) -> str:
        """The input in messages: "*others" stands for any number, and "labels?" is optional."""
        return f"{'*' * self.many}{self.name}{'?' * self.optional}"


@dataclass(frozen=True, kw_only=True)
class SequenceRules:
    """How an operator that works sample by sample gets sequences, such as videos: `sequences.py`.

    By default it gets them whole, and frame by frame if an argument has a value for each frame.

    Attributes:
        own_frames: it takes sequences, and arguments with values for each frame, itself.
        frame_by_frame: it gets each input that is a sequence frame by frame.
        repeats_inputs: inputs without a layout, such as points, are no sequences. The engine
            repeats them for arguments that have values for each frame.
    """

    own_frames: bool = False
    frame_by_frame: bool = False
    repeats_inputs: bool = False


@dataclass(frozen=True, kw_only=True)
class BatchRules:
    """Whether the engine may compute several batches of an operator as one.

    Only pipelines with an operator whose results may differ by rounding compute small batches
    together, because others promise identical results.

    Attributes:
        sample_independent: each sample's results depend on this sample alone, and not on the others
            of its batch. `SampleOperator` and inputs declare it.
        nondeterministic: results may differ by rounding from run to run.
    """

    sample_independent: bool = False
    nondeterministic: bool = False


@dataclass(frozen=True, kw_only=True)
class GpuRules:
    """How an operator works with data on the GPU.

    Attributes:
        in_order: its GPU work must get the batches in their order.
        rehearses: `batch_gpu` may be called on made-up data: see `Operator.rehearse`. It must not
            read their elements, nor call user code. A class with a `batch_gpu` of its own declares
            it itself: it does not inherit this rule.
        metadata_only: it reads only dtypes, shapes and layouts of its inputs. On the CPU it accepts
            data on the GPU: its `batch_gpu` runs and returns CPU data.
        copies_results: a device other than "cpu" copies its results to the GPU. The operator itself
            runs in the CPU stage; it may return data that is on the GPU already.
    """

    in_order: bool = False
    rehearses: bool = False
    metadata_only: bool = False
    copies_results: bool = False


FORMER = {
    "cpu_inputs": 'inputs = (..., Input(name, device="cpu"))',
    "any_device_inputs": 'inputs = (..., Input(name, device="any"))',
    "may_change_inputs": "inputs = (..., Input(name, may_change=True))",
    "own_frames": "sequences = SequenceRules(own_frames=True)",
    "frame_by_frame": "sequences = SequenceRules(frame_by_frame=True)",
    "repeats_inputs": "sequences = SequenceRules(repeats_inputs=True)",
    "sample_independent": "batches = BatchRules(sample_independent=True)",
    "nondeterministic": "batches = BatchRules(nondeterministic=True)",
    "in_order": "on_gpu = GpuRules(in_order=True)",
    "rehearses": "on_gpu = GpuRules(rehearses=True)",
    "metadata_only": "on_gpu = GpuRules(metadata_only=True)",
    "copies_to_gpu": "on_gpu = GpuRules(copies_results=True)",
}
"""Attributes of operators that were declarations of their own, with what declares the same."""
