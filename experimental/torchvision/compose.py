"""`Compose`: transforms as a pipeline that is called with images."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import fn
from ...engine.errors import ArgumentError, MissingDependencyError
from ...engine.run.pipeline import Pipeline
from ...engine.tensors import TensorList
from .conversion import PILToTensor, ToPILImage, ToPureTensor, ToTensor
from .images import PILLOW, TENSOR, Images

if TYPE_CHECKING:
    import torch

_CHANNELS = (1, 2, 3, 4)
_MODES = {1: "L", 3: "RGB", 4: "RGBA"}


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
        from .translation import translated

        self.op_list = [translated(each) for each in op_list]
        self.batch_size = batch_size
        self.num_threads = num_threads
        self._options = {"prefetch_queue_depth": 1, **dali_pipeline_kwargs}
        self._pipelines: dict[tuple[str, str, str], Pipeline] = {}

    def __call__(self, data_input: Any) -> Any:
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
        if _is_tensor(data_input):
            return self._run_tensor(data_input)
        if _is_picture(data_input):
            array = picture_array(data_input)[np.newaxis]
            return self._result(self._run(array, PILLOW, "cpu"), PILLOW, one=True)
        raise TypeError(
            f"Compose takes images of Pillow and tensors of PyTorch, not {type(data_input)}"
        )

    def _run_tensor(self, tensor: torch.Tensor) -> Any:
        if tensor.ndim not in (3, 4) or tensor.shape[-3] not in _CHANNELS:
            raise ArgumentError(
                "tensors must have the shape (channels, height, width) or (samples, channels, "
                f"height, width), with 1 to 4 channels, but this one has {tuple(tensor.shape)}"
            )
        one = tensor.ndim == 3
        batch = tensor[None] if one else tensor
        if len(batch) > self.batch_size:
            raise ArgumentError(
                f"the tensor has {len(batch)} samples, and batch_size is {self.batch_size}; give "
                f"Compose batch_size={len(batch)}"
            )
        device = "gpu" if tensor.is_cuda else "cpu"
        output = self._run(batch.permute(0, 2, 3, 1).contiguous(), TENSOR, device)
        return self._result(output, TENSOR, one=one)

    def _run(self, batch: Any, rule: str, device: str) -> TensorList:
        dtype = np.dtype(str(batch.dtype).removeprefix("torch."))
        key = rule, dtype.name, device
        if key not in self._pipelines:
            self._pipelines[key] = self._made(rule, dtype, device)
        try:
            (output,) = self._pipelines[key].run(images=batch)
        except BaseException:
            self._pipelines.pop(key).close()  # an error stops a pipeline; the next call makes one
            raise
        return output

    def _made(self, rule: str, dtype: np.dtype[Any], device: str) -> Pipeline:
        pipeline = Pipeline(
            batch_size=self.batch_size, num_threads=self.num_threads, **self._options
        )
        with pipeline:
            node = fn.external_source(name="images", layout="HWC", dtype=dtype, device=device)
            images = Images(node, dtype, rule)
            for transform in self.op_list:
                images = transform.add_to(images)
            pipeline.set_outputs(images.planes if self._output(rule) == TENSOR else images.node)
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

    def _result(self, output: TensorList, rule: str, *, one: bool) -> Any:
        if self._output(rule) == TENSOR:
            try:
                import torch
            except ImportError as error:
                raise MissingDependencyError(
                    "Compose returns tensors, and PyTorch is not installed: pip install torch"
                ) from error
            made = torch.from_dlpack(output.as_tensor())
            return made[0] if one or (rule == PILLOW and len(made) == 1) else made
        pictures = [array_picture(np.asarray(row)) for row in output.as_cpu().rows()]
        return pictures[0] if len(pictures) == 1 else pictures

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


def _is_tensor(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def _is_picture(value: Any) -> bool:
    image = sys.modules.get("PIL.Image")
    return image is not None and isinstance(value, image.Image)


def picture_array(picture: Any) -> Any:
    """Return an image of Pillow as an array: (height, width, channels) uint8."""
    if picture.mode not in _MODES.values():
        raise ArgumentError(
            f"the image has the mode {picture.mode!r}; convert it to L, RGB or RGBA"
        )
    array = np.asarray(picture)
    return array[..., np.newaxis] if array.ndim == 2 else array


def array_picture(array: Any) -> Any:
    """Return an array, (height, width, channels) of bytes, or floats from 0 to 1, as an image."""
    from PIL import Image

    if array.dtype != np.uint8:
        array = (array * 255).clip(0, 255).astype(np.uint8)
    if array.shape[-1] not in _MODES:
        raise ArgumentError(f"there is no image of Pillow with {array.shape[-1]} channels")
    return Image.fromarray(array[..., 0] if array.shape[-1] == 1 else array)
