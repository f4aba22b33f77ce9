"""JAX's functions in pipelines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from ...engine.graph.functions import function_of
from ...engine.graph.operator import OPERATORS

__all__ = ["jax_function"]

_call_in_pipeline = function_of(OPERATORS["_jax_function"])


def jax_function(
    function: Callable[..., object] | None = None,
    num_outputs: int = 1,
    output_layouts: str | Sequence[str] | None = None,
    sharding: object = None,
    device: str | None = None,
    preserve: bool = True,
) -> Any:
    """Make an operator of a function of JAX's arrays; also a decorator, with or without arguments.

    The function gets a `jax.Array` of shape (batch, *sample) for each input, so the samples of an
    input must have one shape. The function may be made by `jax.jit`, `jax.vmap` and the like. It
    returns an array, or a tuple of `num_outputs` arrays, whose axis 0 runs over the samples. The
    function must not keep its arguments. JAX turns 64-bit numbers into 32 bits, unless its option
    `jax_enable_x64` is set.

        @jax_function
        @jax.jit
        def flip_horizontal(images):
            return images[:, :, ::-1, :]

        @pipeline_def(batch_size=4, num_threads=4)
        def pipeline():
            encoded, _ = fn.readers.file(file_root="photos")
            images = fn.resize(fn.decoders.image(encoded), size=(224, 224))
            return flip_horizontal(images)

    Args:
        function: the function; without it, a decorator is returned.
        num_outputs: number of arrays that the function returns. With 0 it returns None.
        output_layouts: layout of all outputs, or a list with the layouts of the first outputs. By
            default, output i has the layout of input i if their samples have as many dimensions.
        sharding: a `jax.sharding.Sharding` with one device of this process. The arrays are global
            arrays of this sharding then.
        device: "cpu" or "gpu", where inputs and outputs are; by default, where the inputs are.
        preserve: whether the function is called even if its outputs are not used.

    Returns:
        a function that takes and returns `DataNode`s; a list of nodes if `num_outputs` is above 1,
        and None if it is 0.

    Raises:
        ArgumentError: samples differ in shape, or the function returns something else than
            `num_outputs` arrays over the samples. The pipeline raises it when it runs.
    """

    def as_operator(given: Callable[..., object]) -> Callable[..., Any]:
        @wraps(given)
        def operator(*inputs: object) -> Any:
            return _call_in_pipeline(
                *inputs,
                function=given,
                num_outputs=num_outputs,
                output_layouts=output_layouts,
                sharding=sharding,
                device=device,
                preserve=preserve,
            )

        return operator

    return as_operator if function is None else as_operator(function)
