"""`from_torchvision`: transforms of torchvision in the definitions of pipelines."""

from __future__ import annotations

from typing import Any

from ... import fn
from ...engine.errors import ArgumentError
from ...engine.graph.nodes import DataNode
from .images import PILLOW, PIXELS, TENSOR, Images
from .translations import Report, entries

_IMAGES = {"pil": PILLOW, "tensor": TENSOR}


class Translation:
    """A function of nodes that does what a transform of torchvision does: see `from_torchvision`.

    Attributes:
        report: which transforms are translated, and why the others are not.
    """

    def __init__(self, report: Report, rule: str, device: str | None) -> None:
        self.report = report
        self._rule = rule
        self._device = device

    def __call__(
        self,
        images: DataNode,
        *,
        boxes: DataNode | None = None,
        masks: DataNode | None = None,
    ) -> Any:
        """Add the transforms to the pipeline that is being defined.

        Args:
            images: bytes, HWC, or FHWC for videos.
            boxes: bounding boxes of each image: (boxes, 4) left, top, right and bottom in pixels.
            masks: a mask of each image: HW or HWC, of any type.

        Returns:
            the images: HWC, or CHW if a transform makes tensors of them, or if they count as
            tensors. With boxes or masks a tuple of images, boxes and masks, without what is not
            given.

        Raises:
            ArgumentError: transforms are not translated.
        """
        if not self.report.complete:
            raise ArgumentError(
                f"transforms cannot be translated: {'; '.join(self.report.problems)}. Leave them "
                "out, and apply them to what the pipeline returns"
            )
        if images.layout not in ("", "HWC", "FHWC"):
            raise ArgumentError(
                f"the images have the layout {images.layout!r}, and transforms take HWC and FHWC; "
                "use fn.transpose before"
            )
        named = images if images.layout else fn.reshape(images, layout="HWC")
        state = Images(named, PIXELS, self._rule, boxes=boxes, masks=masks).on(self._device)
        for entry in self.report:
            assert entry.transform is not None  # the report is complete
            state = entry.transform.add_to(state)
        made = state.planes if state.rule == TENSOR else state.node
        others = tuple(labels for labels in (state.boxes, state.masks) if labels is not None)
        return (made, *others) if others else made


def from_torchvision(
    transform: object, *, images: str = "pil", device: str | None = None
) -> Translation:
    """Translate a transform of torchvision into a function for pipeline definitions.

    Args:
        transform: a transform of `torchvision.transforms` or `torchvision.transforms.v2`, a
            `Compose`, or a list of transforms.
        images: what the transform would get: "pil" for images of Pillow, "tensor" for tensors of
            bytes. Some transforms give other pixels for one than for the other.
        device: where the transforms run; None is where their images are.

    Returns:
        the function. Its `report` says which transforms cannot be translated, and why. Calling it
        then raises ArgumentError.

    >>> from penstock.experimental.torchvision import Resize, from_torchvision
    >>> translation = from_torchvision([Resize(224), lambda image: image])
    >>> print(translation.report)
    Resize: translated
    function: NOT translated, it is no transform of torchvision
    """
    if images not in _IMAGES:
        raise ArgumentError(f"images must be 'pil' or 'tensor', but is {images!r}")
    return Translation(Report(entries(transform, device)), _IMAGES[images], device)
