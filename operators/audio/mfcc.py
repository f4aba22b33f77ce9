"""`fn.mfcc`: mel-frequency cepstral coefficients."""

from __future__ import annotations

import numpy as np

from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import BOOL, FLOAT, INT, param
from ...engine.tensors import TensorListGPU
from ...geometry.layouts import chosen_axes
from ..common.batch_arguments import enter_errors
from .axis_matrix import AxisMatrix, along_on_gpu
from .cosines import TYPES, CosineTransform, cosine_matrix


@register
class Mfcc(SampleOperator):
    """Computes cepstral coefficients of a mel spectrogram, which is usually in decibels.

    The coefficients are the first `n_mfcc` of the discrete cosine transform along `axis`, as in
    `librosa.feature.mfcc(S=..., norm="ortho" if normalize else None)`, except that without
    `normalize` librosa doubles them.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.mfcc(np.ones((40, 11), np.float32), n_mfcc=13))
    ...     (result,) = pipe.run()
    ...     print(result.shape())
    [(13, 11)]

    Inputs:
        data: the mel spectrogram, of any numeric dtype; at least one dimension.

    Outputs:
        the coefficients: float32 of the layout of the input. The extent of `axis` is `n_mfcc`, or
        that of the input if it is smaller.

    The operator computes in float32. CPU and GPU agree within 1e-5 of the sum of the terms.

    Raises:
        ArgumentError: the sample has no such axis, or the axis has one number for `dct_type=1`.
    """

    name = "mfcc"
    devices = ("cpu", "gpu")
    inputs = ("data",)

    axis = param(INT, 0, "Axis of the transform; negative numbers count from the back.")
    dct_type = param(
        INT,
        2,
        "Type of the transform, 1 to 4, for DCT-I to DCT-IV "
        "(https://en.wikipedia.org/wiki/Discrete_cosine_transform).",
        minimum=TYPES[0],
        maximum=TYPES[-1],
    )
    lifter = param(
        FLOAT,
        0.0,
        "Coefficient i is multiplied by 1 + lifter / 2 * sin(pi * (i + 1) / lifter), unless the "
        "lifter is 0.",
    )
    n_mfcc = param(INT, 20, "Number of coefficients.", minimum=1)
    normalize = param(
        BOOL, False, "Whether the transform is orthonormal; `dct_type=1` has no such form."
    )

    def prepare(self) -> None:
        if self.dct_type == 1 and self.normalize:
            self.refuse("dct_type=1 has no orthonormal form; use normalize=False")
        self._transform = CosineTransform(
            self.dct_type, self.n_mfcc, bool(self.normalize), self.lifter
        )

    def sample(self, workspace: Workspace, data: Array) -> Array:
        axis = self._index(data.ndim)
        return cosine_matrix(self._transform, data.shape[axis]).along(workspace, data, axis)

    def batch_gpu(self, batch: BatchContext, data: TensorListGPU) -> TensorListGPU:
        axis = self._index(data.ndim)
        numbers, least = data.extents()[:, axis], 2 if self.dct_type == 1 else 0
        usable = (numbers == 0) | (numbers >= least)
        enter_errors(self, batch, data, usable, {})
        results = np.where(usable, np.minimum(numbers, self.n_mfcc), 0)

        def matrix_of(count: int) -> AxisMatrix:
            return cosine_matrix(self._transform, max(count, least))

        return along_on_gpu(batch, data, axis, matrix_of, results, self.layouts[0])

    def _index(self, ndim: int) -> int:
        (axis,) = chosen_axes("", ndim, (self.axis,), None)
        return axis
