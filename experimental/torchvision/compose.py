"""`Compose`: transforms as a pipeline that is called with images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ... import fn
from ...engine.errors import ArgumentError
from ...engine.pipeline.pipeline import Pipeline
from ...engine.tensors import TensorList
from .conversion import PILToTensor, ToPILImage, ToPureTensor, ToTensor
from .exchange import GivenImages, batch_of, result_of
from .images import PILLOW, TENSOR, Images
from .translations import translated


class Compose:
    """Transforms in their order, as one function of images.

    A pipeline does the work. It is made at the first call, and another one for other kinds of
    images. The samples of a tensor NCHW get random numbers of their own.

    Args:
        op_list: the transforms; those of torchvision itself are translated.
        batch_size: the largest N of tensors NCHW.
        num_threads: number of threads that share a batch.
        dali_pipeline_kwargs: options of `Pipeline`, such as `seed`.

    >>> import numpy as np
    >>> from PIL import Image
    >>> from penstock.experimental.torchvision import CenterCrop, Compose, Resize
    >>> photograph = Image.fromarray(np.zeros((300, 400, 3), np.uint8))
    >>> with Compose([Resize(256), CenterCrop(224)]) as transform:
    ...     transform(photograph).size
    (224, 224)
    """

    def __init__(
        self,
        op_list: Sequence[Any],
        batch_size: int = 16,
        num_threads: int = 1,
        **dali_pipeline_kwargs: Any,
    ) -> None:
        self.op_list = [translated(transform) for transform in op_list]
        self.batch_size = batch_size
        self.num_threads = num_threads
        self._options = {"prefetch_queue_depth": 1, **dali_pipeline_kwargs}
        self._pipelines: dict[tuple[str, str, str], Pipeline] = {}

    def __call__(self, data_input: object) -> Any:
        """Return the transformed images.

        Args:
            data_input: an image of Pillow, of mode L, RGB or RGBA; or a tensor CHW or NCHW, of
                uint8 or float32.

        Returns:
            an image of Pillow if one was given, else a tensor; what PILToTensor, ToPureTensor,
            ToTensor and ToPILImage say if the transforms have one of these.

        Raises:
            TypeError: the input is neither an image nor a tensor.
        """
        given = batch_of(data_input)
        if len(given.array) > self.batch_size:
            raise ArgumentError(
                f"the tensor has {len(given.array)} samples, and batch_size is {self.batch_size}; "
                f"give Compose batch_size={len(given.array)}"
            )
        return result_of(self._run(given), given, self._output(given.rule))

    def _run(self, given: GivenImages) -> TensorList:
        key = given.rule, given.dtype.name, given.device
        if key not in self._pipelines:
            self._pipelines[key] = self._made(given)
        try:
            (output,) = self._pipelines[key].run(images=given.array)
        except BaseException:
            self._pipelines.pop(key).close()  # an error stops a pipeline; the next call makes one
            raise
        return output

    def _made(self, given: GivenImages) -> Pipeline:
        pipeline = Pipeline(
            batch_size=self.batch_size, num_threads=self.num_threads, **self._options
        )
        with pipeline:
            node = fn.external_source(
                name="images", layout="HWC", dtype=given.dtype, device=given.device
            )
            images = Images(node, given.dtype, given.rule)
            for transform in self.op_list:
                images = transform.add_to(images)
            tensors = self._output(given.rule) == TENSOR
            pipeline.set_outputs(images.planes if tensors else images.node)
        pipeline.build()
        return pipeline

    def _output(self, rule: str) -> str:
        """Return what a call returns: PILLOW for images, or TENSOR."""
        for transform in self.op_list:
            if isinstance(transform, ToPILImage):
                rule = PILLOW
            elif isinstance(transform, ToPureTensor | PILToTensor | ToTensor):
                rule = TENSOR
        return rule

    def close(self) -> None:
        """End the pipelines' threads."""
        for pipeline in self._pipelines.values():
            pipeline.close()
        self._pipelines.clear()

    def __enter__(self) -> Compose:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Compose({self.op_list!r})"
