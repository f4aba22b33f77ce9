"""Functions that Numba compiles, in pipelines.

    from penstock.plugin.numba.fn.experimental import numba_function

Numba is imported when a pipeline is defined that uses it.
"""

from typing import Any

from . import fn as fn

__all__ = ["NumbaFunction"]  # `fn` would replace the program's own


class NumbaFunction:
    """`fn.numba_function` as a class, as those of `ops`."""

    def __init__(
        self,
        run_fn: object,
        out_types: object,
        in_types: object,
        outs_ndim: object,
        ins_ndim: object,
        setup_fn: object = None,
        device: str = "cpu",
        batch_processing: bool = False,
        blocks: object = None,
        threads_per_block: object = None,
        **arguments: object,
    ) -> None:
        self._device = device
        self._arguments = {
            "run_fn": run_fn,
            "out_types": out_types,
            "in_types": in_types,
            "outs_ndim": outs_ndim,
            "ins_ndim": ins_ndim,
            "setup_fn": setup_fn,
            "device": device,
            "batch_processing": batch_processing,
            "blocks": blocks,
            "threads_per_block": threads_per_block,
            **arguments,
        }

    def __call__(self, *inputs: object, **arguments: object) -> Any:
        """Add the operator to the graph being defined and return its output or outputs."""
        return fn.numba_function(*inputs, **self._arguments, **arguments)

    @property
    def device(self) -> str:
        """As given."""
        return self._device

    @property
    def preserve(self) -> bool:
        """As given; False by default."""
        return bool(self._arguments.get("preserve", False))
