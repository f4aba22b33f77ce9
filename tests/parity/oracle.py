"""Running expressions and single operators in NVIDIA DALI on given samples."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Any

import numpy as np
import pytest

_dali: Any = pytest.importorskip("nvidia.dali")


def dali(
    expression: Callable[..., Any],
    *batches: Sequence[Any],
    batch_size: int | None = None,
    layout: str = "",
) -> list[tuple[list[Any], str]]:
    """Return, for each output, its samples and its layout.

    Args:
        expression: makes the outputs of the inputs.
        batches: the samples of each input.
        batch_size: number of samples, where there is no input.
        layout: of the first input.
    """
    size = batch_size or len(batches[0])
    pipeline = _dali.Pipeline(batch_size=size, num_threads=1, device_id=None, seed=5)
    layouts = [layout or None, *[None] * len(batches)]
    with pipeline:
        nodes = [
            _dali.fn.external_source(source=_source(samples), layout=one)
            for samples, one in zip(batches, layouts, strict=False)
        ]
        outputs = expression(*nodes)
        pipeline.set_outputs(*(outputs if isinstance(outputs, list | tuple) else (outputs,)))
    return [([np.array(out.at(i)) for i in range(size)], out.layout()) for out in pipeline.run()]


def run_dali(
    name: str,
    samples: Sequence[Any],
    layout: str = "",
    *,
    inputs: Sequence[Sequence[Any]] = (),
    per_sample: Mapping[str, Sequence[Any]] | None = None,
    **constants: Any,
) -> tuple[list[Any], str]:
    """Return the results for `samples` and their layout; the arguments are those of `run`."""
    named = per_sample or {}

    def expression(*nodes: Any) -> Any:
        positional, others = nodes[: 1 + len(inputs)], nodes[1 + len(inputs) :]
        arguments = dict(zip(named, others, strict=True))
        return attrgetter(name)(_dali.fn)(*positional, **arguments, **constants)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of arguments that DALI calls deprecated
        (result,) = dali(expression, samples, *inputs, *named.values(), layout=layout)
    return result


def dali_types() -> Any:
    """Return `nvidia.dali.types`."""
    return _dali.types


def _source(samples: Sequence[Any]) -> Callable[[], list[Any]]:
    return lambda: [np.asarray(sample) for sample in samples]
