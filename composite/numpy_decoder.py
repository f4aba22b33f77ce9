"""`fn.decoders.numpy`: arrays from the bytes of `.npy` files, converted to a type."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..decoders.errors import check_encoded
from ..engine.graph.context import Workspace
from ..engine.graph.nodes import add_node
from ..engine.graph.operator import Array, SampleOperator, register
from ..engine.graph.params import DTYPE, param
from ..formats.npy import as_stored, numbers_of, parse_file
from ..operators.elementwise.cast import Cast


@register
class NumpyDecoder(SampleOperator):
    """Decodes the bytes of `.npy` files, such as components of tar archives.

    Versions 1 to 3 of the format, both orders of dimensions and both byte orders are read.
    Objects, which would have to be unpickled, structured types and strings are not.

    >>> import io
    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> file = io.BytesIO()
    >>> np.save(file, np.float32([[1, 2], [3, 4]]))
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.decoders.numpy(np.frombuffer(file.getvalue(), np.uint8)))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [[1. 2.]
     [3. 4.]]

    Inputs:
        data: a whole file a sample; uint8, one dimension.

    Outputs:
        the array: of the file's shape, and its type unless `dtype` is given. Complex numbers come
            as floats with a last axis of two more, real and imaginary part; dates and differences
            of dates as int64, in the file's unit.

    Raises:
        DecodeError: the bytes are no such file, or it is damaged or cut off.
    """

    name = "decoders.numpy"
    inputs = ("data",)

    dtype = param(
        DTYPE,
        None,
        "Type to convert to, as `fn.cast` does: to the nearest number that it can hold. All "
        "samples must have one type: give it where the files differ.",
    )

    def output_layouts(self) -> tuple[str, ...]:
        return ("",)

    def wrap(self, outputs: tuple[object, ...]) -> Any:
        if self.dtype is not None:
            outputs = add_node(Cast, outputs, {"dtype": self.dtype})
        return outputs[0]

    def sample(self, workspace: Workspace, data: Array) -> Array:
        check_encoded(data)
        header, elements = parse_file(data)
        dtype, more = numbers_of(header.dtype)
        out = workspace.empty(header.shape + more, dtype)
        if header.dtype == np.bool_:  # any other byte than 0 and 1 would be no bool
            np.not_equal(elements.view(np.uint8), 0, out=out)
        else:
            np.copyto(as_stored(out, header.dtype), elements)
        return out
