"""Which transform here each transform of torchvision is.

torchvision is not imported: its objects are known by the names of their classes and modules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from inspect import signature
from typing import Any, NamedTuple

import numpy as np

from ...engine.errors import ArgumentError
from . import (
    auto_augment,
    choices,
    color,
    conversion,
    distortion,
    geometry,
    mixing,
    random_sizes,
    warps,
)
from .transform import Transform, value_of

_OWN = ("device", "inplace", "seed")
"""Arguments of transforms here that do not come from torchvision's."""


class TranslationError(ArgumentError):
    """A transform cannot be translated; the message says why."""


class Entry(NamedTuple):
    """One transform of a report.

    Attributes:
        name: of its class.
        transform: the translation, or None.
        reason: why there is none, or "".
    """

    name: str
    transform: Transform | None
    reason: str


class Report(tuple[Entry, ...]):
    """What became of each transform, in their order. `str` shows a line for each."""

    @property
    def complete(self) -> bool:
        """Whether all transforms are translated."""
        return not self.problems

    @property
    def problems(self) -> list[str]:
        """Why transforms are not translated."""
        return [f"{entry.name}: {entry.reason}" for entry in self if entry.transform is None]

    def __str__(self) -> str:
        return "\n".join(
            f"{name}: {f'NOT translated, {reason}' if reason else 'translated'}"
            for name, _, reason in self
        )


def translated(transform: object) -> Transform:
    """Return a transform, translated if it is one of torchvision.

    Raises:
        TranslationError: it cannot be translated.
    """
    if isinstance(transform, Transform):
        return transform
    return _translated(transform, "cpu")


def entries(transform: object, device: str | None) -> Iterator[Entry]:
    """Yield what becomes of a transform, or of each of a sequence."""
    for part in _parts(transform):
        name = type(part).__name__
        try:
            made = part if isinstance(part, Transform) else _translated(part, device)
        except ArgumentError as error:
            yield Entry(name, None, str(error))
        else:
            yield Entry(name, made, "")


def _parts(transform: Any) -> Iterator[object]:
    """Yield the transforms of a sequence, and those of sequences in it."""
    if isinstance(transform, list | tuple):
        for part in transform:
            yield from _parts(part)
    elif _name(transform) == "Compose":
        yield from _parts(list(transform.transforms))
    elif type(transform).__name__ == "Sequential":
        yield from _parts(list(transform))
    elif _name(transform) != "Identity":
        yield transform


def _name(transform: object) -> str:
    """Return the name of a class of torchvision, or ""."""
    kind = type(transform)
    return kind.__name__ if kind.__module__.startswith("torchvision.transforms") else ""


def _translated(transform: object, device: str | None) -> Transform:
    name = _name(transform)
    if not name:
        raise TranslationError("it is no transform of torchvision")
    if name not in TRANSLATIONS:
        raise TranslationError(_REASONS.get(name, "there is no such transform here"))
    return TRANSLATIONS[name](transform, device)


def _arguments(kind: Callable[..., Transform], transform: object) -> dict[str, Any]:
    """Return the arguments of a transform here: attributes of torchvision's transform."""
    names = [name for name in signature(kind).parameters if name not in _OWN]
    return {name: getattr(transform, name) for name in names}


def _copied(kind: Callable[..., Transform]) -> Callable[[Any, str | None], Transform]:
    """Return a translation that passes attributes of torchvision's transform on."""
    return lambda transform, device: kind(**_arguments(kind, transform), device=device)


def _to_dtype(transform: Any, device: str | None) -> Transform:
    dtype = transform.dtype
    if isinstance(dtype, Mapping):
        dtype = value_of(dtype, "Image", "Tensor", "others")
        if dtype is None:
            raise TranslationError("its dict of dtypes has none for images")
    return conversion.ToDtype(dtype, transform.scale, device)


def _erasing(transform: Any, device: str | None) -> Transform:
    arguments = _arguments(conversion.RandomErasing, transform)
    value = arguments["value"]
    if isinstance(value, str) or value is None:
        raise TranslationError("value='random' fills with noise, which is not translated")
    arguments["value"] = np.ravel(np.asarray(value, np.float64)).tolist()
    return conversion.RandomErasing(**arguments, device=device)


def _normalize(transform: Any, device: str | None) -> Transform:
    mean, std = (
        np.ravel(np.asarray(values)).tolist() for values in (transform.mean, transform.std)
    )
    return conversion.Normalize(mean, std, device=device)


def _to_pil(transform: Any, device: str | None) -> Transform:
    if transform.mode is not None:
        raise TranslationError(f"mode={transform.mode!r} is not translated; leave it out")
    return conversion.ToPILImage(device)


def _clamping(transform: Any, device: str | None) -> Transform:
    if transform.clamping_mode is None:  # of torchvision 0.24 and later
        raise TranslationError("with clamping_mode=None it changes nothing; leave it out")
    return geometry.ClampBoundingBoxes(device)


def _preset(transform: Any, device: str | None) -> Transform:
    """Return a preset of pretrained weights, such as `ImageClassification`, as its steps."""
    steps: list[Transform] = []
    if getattr(transform, "resize_size", None) is not None:
        steps.append(
            geometry.Resize(
                transform.resize_size,
                transform.interpolation,
                antialias=transform.antialias,
                device=device,
            )
        )
    if hasattr(transform, "crop_size"):
        steps.append(geometry.CenterCrop(transform.crop_size, device))
    steps += [conversion.PILToTensor(device), conversion.ConvertImageDtype(device=device)]
    if hasattr(transform, "mean"):
        steps.append(_normalize(transform, device))
    return choices.Sequential(steps, device)


def _auto(kind: Callable[..., Transform]) -> Callable[[Any, str | None], Transform]:
    """Return a translation of a transform that draws changes."""

    def translate(transform: Any, device: str | None) -> Transform:
        arguments = _arguments(kind, transform)
        if kind is auto_augment.AutoAugment:
            policies = getattr(transform, "_policies", None) or transform.policies
            arguments["policy"] = policies
        fill = arguments["fill"]
        if isinstance(fill, list | tuple) and len(set(fill)) == 1:
            arguments["fill"] = fill[0]
        return kind(**arguments, device=device)

    return translate


def _of_several(
    kind: Callable[..., Transform], *names: str
) -> Callable[[Any, str | None], Transform]:
    """Return a translation of a transform that has transforms."""

    def translate(transform: Any, device: str | None) -> Transform:
        members = [_member(member, device) for member in transform.transforms]
        return kind(members, **{name: getattr(transform, name) for name in names}, device=device)

    return translate


def _member(transform: object, device: str | None) -> Transform:
    """Return the translation of a transform in another one: of several, if it is a sequence."""
    report = Report(entries(transform, device))
    if report.problems:
        raise TranslationError(f"in it, {'; '.join(report.problems)}")
    made = [entry.transform for entry in report if entry.transform is not None]
    return made[0] if len(made) == 1 else choices.Sequential(made, device)


TRANSLATIONS: dict[str, Callable[[Any, str | None], Transform]] = {
    "AugMix": _auto(mixing.AugMix),
    "AutoAugment": _auto(auto_augment.AutoAugment),
    "CenterCrop": _copied(geometry.CenterCrop),
    "ClampBoundingBoxes": _clamping,
    "ColorJitter": _copied(color.ColorJitter),
    "ConvertImageDtype": _copied(conversion.ConvertImageDtype),
    "GaussianBlur": _copied(color.GaussianBlur),
    "Grayscale": _copied(color.Grayscale),
    "ImageClassification": _preset,
    "Normalize": _normalize,
    "ObjectDetection": _preset,
    "PILToTensor": _copied(conversion.PILToTensor),
    "Pad": _copied(geometry.Pad),
    "RandAugment": _auto(auto_augment.RandAugment),
    "RandomAdjustSharpness": _copied(color.RandomAdjustSharpness),
    "RandomAffine": _copied(warps.RandomAffine),
    "RandomApply": _of_several(choices.RandomApply, "p"),
    "RandomAutocontrast": _copied(color.RandomAutocontrast),
    "RandomChannelPermutation": _copied(distortion.RandomChannelPermutation),
    "RandomChoice": _of_several(choices.RandomChoice, "p"),
    "RandomCrop": _copied(geometry.RandomCrop),
    "RandomEqualize": _copied(color.RandomEqualize),
    "RandomErasing": _erasing,
    "RandomGrayscale": _copied(color.RandomGrayscale),
    "RandomHorizontalFlip": _copied(geometry.RandomHorizontalFlip),
    "RandomInvert": _copied(color.RandomInvert),
    "RandomOrder": _of_several(choices.RandomOrder),
    "RandomPerspective": _copied(warps.RandomPerspective),
    "RandomPhotometricDistort": _copied(distortion.RandomPhotometricDistort),
    "RandomPosterize": _copied(color.RandomPosterize),
    "RandomResize": _copied(random_sizes.RandomResize),
    "RandomResizedCrop": _copied(geometry.RandomResizedCrop),
    "RandomRotation": _copied(warps.RandomRotation),
    "RandomShortestSize": _copied(random_sizes.RandomShortestSize),
    "RandomSolarize": _copied(color.RandomSolarize),
    "RandomVerticalFlip": _copied(geometry.RandomVerticalFlip),
    "RandomZoomOut": _copied(geometry.RandomZoomOut),
    "Resize": _copied(geometry.Resize),
    "ScaleJitter": _copied(random_sizes.ScaleJitter),
    "SemanticSegmentation": _preset,
    "ToDtype": _to_dtype,
    "ToImage": _copied(conversion.ToImage),
    "ToPILImage": _to_pil,
    "ToPureTensor": _copied(conversion.ToPureTensor),
    "ToTensor": _copied(conversion.ToTensor),
    "TrivialAugmentWide": _auto(auto_augment.TrivialAugmentWide),
}

_REASONS = {
    "RandomIoUCrop": "it changes the number of boxes; fn.random_bbox_crop draws such windows",
    "ConvertBoundingBoxFormat": "boxes are left, top, right and bottom here; convert them before",
    "SetClampingMode": "boxes have no mode here; ClampBoundingBoxes is translated",
    "SetClampingKeyPointsMode": "key points are not translated; fn.coord_transform moves points",
    "ConvertKeyPointFormat": "key points are not translated; fn.coord_transform moves points",
    "ClampKeyPoints": "key points are not translated; fn.coord_transform moves points",
    "SanitizeKeyPoints": "key points are not translated; fn.coord_transform moves points",
    "UniformTemporalSubsample": "uniform_sample of fn.experimental.readers.video picks frames",
    "Lambda": "it calls a function of yours; fn.python_function does",
    "FiveCrop": "it makes several images of one; use fn.crop for each of them",
    "TenCrop": "it makes several images of one; use fn.crop for each of them",
    "MixUp": "it mixes the samples of a batch; apply it to the batches of the pipeline",
    "CutMix": "it mixes the samples of a batch; apply it to the batches of the pipeline",
    "LinearTransformation": (
        "its matrix is as large as the image squared; apply it to the batches of the pipeline"
    ),
    "SanitizeBoundingBoxes": (
        "it changes the number of boxes; fn.python_function on the CPU can leave boxes out"
    ),
    "ElasticTransform": "fn.experimental.remap moves pixels by maps",
    "GaussianNoise": "fn.noise.gaussian does the same",
    "RGB": "decoders make RGB images: fn.decoders.image",
    "VideoClassification": "its result is CFHW; translate its steps, and use fn.transpose",
    "OpticalFlow": "it takes pairs of images; translate its steps, and apply them to both",
    "JPEG": "fn.jpeg_compression_distortion does the same, with other rounding",
}
