"""Encoding samples anew while they are converted."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ....engine.errors import ArgumentError
from ...media import IMAGE
from ...sample import Encoded, Sample, Value
from ...schema import ENCODED, ComponentType, Schema
from ...segmentations import SEGMENTATIONS, scaled_segmentations
from .media import AUDIO_CODECS, VIDEO_CODECS, encode_audio, encode_video

_BOXES, _KEYPOINTS, _AREAS = "boxes", "keypoints", "areas"
_COMPONENT_OF = {
    "jpeg_quality": IMAGE,
    "longest_side": IMAGE,
    "audio": "audio",
    "video": "video",
}
"""The component that each option encodes anew."""

_NAMES = tuple(dict.fromkeys(_COMPONENT_OF.values()))


@dataclass(frozen=True)
class Reencoding:
    """What is encoded anew; by default nothing, so encoded bytes stay as they are.

    The components "image", "audio" and "video" are meant; others, such as masks, stay. "boxes",
    "keypoints", "areas" and the polygons of "segmentations" are scaled with a smaller image.

    Attributes:
        jpeg_quality: of images, 1 to 100; None keeps images that need no other size.
        longest_side: in pixels; larger images are made smaller. None keeps the size.
        audio: "flac" or "opus"; None keeps audio.
        video: "h264"; None keeps video.
    """

    jpeg_quality: int | None = None
    longest_side: int | None = None
    audio: str | None = None
    video: str | None = None

    def __post_init__(self) -> None:
        if self.jpeg_quality is not None and not 1 <= self.jpeg_quality <= 100:
            raise ArgumentError(f"jpeg_quality is 1 to 100, not {self.jpeg_quality}")
        if self.longest_side is not None and self.longest_side < 1:
            raise ArgumentError(f"longest_side is 1 or more, not {self.longest_side}")
        for name, codec, known in (
            ("audio", self.audio, AUDIO_CODECS),
            ("video", self.video, VIDEO_CODECS),
        ):
            if codec is not None and codec not in known:
                raise ArgumentError(f"{name} is one of {', '.join(known)}, not {codec!r}")

    def schema(self, schema: Schema) -> Schema:
        """Return the schema of the samples that `__call__` returns.

        Raises:
            ArgumentError: there is no such component to encode anew.
        """
        for option, name in _COMPONENT_OF.items():
            asked = getattr(self, option) is not None
            if asked and (name not in schema or schema[name].type != ENCODED):
                raise ArgumentError(
                    f"{option} encodes the component {name!r} anew, but the samples have no such "
                    f"files; they have {', '.join(schema)}. Leave {option} out, or name the "
                    f"component {name!r} in the source"
                )
        changed = dict(schema)
        for name, component in schema.items():
            if component.type == ENCODED and name in _NAMES:
                changed[name] = self._changed_type(name, component)
        return changed

    def _changed_type(self, name: str, type: ComponentType) -> ComponentType:
        if name == IMAGE and self.jpeg_quality is not None:
            return replace(type, extension="jpg")
        if name == IMAGE and self.longest_side is not None:
            return replace(type, extension=type.extension if type.extension == "jpg" else "")
        codec = {"audio": self.audio, "video": self.video}.get(name)
        known = AUDIO_CODECS | VIDEO_CODECS
        return type if codec is None else replace(type, extension=known[codec])

    def __call__(self, sample: Sample) -> Sample:
        """Return the sample with what is to be encoded anew.

        Raises:
            DecodeError: a file cannot be decoded. ArgumentError: a codec cannot hold the sound.
            MissingDependencyError: PyAV or soundfile is not installed.
        """
        components = dict(sample.components)
        for name in _NAMES:
            value = components.get(name)
            if isinstance(value, Encoded):
                self._change(components, name, value)
        return Sample(sample.key, components)

    def _change(self, components: dict[str, Value], name: str, value: Encoded) -> None:
        if name == IMAGE and (self.jpeg_quality or self.longest_side):
            from .images import smaller_jpeg  # other conversions need no decoders

            components[name], scale = smaller_jpeg(value, self.jpeg_quality, self.longest_side)
            if scale != (1.0, 1.0):
                _scale_annotations(components, scale)
        elif name == "audio" and self.audio is not None:
            components[name] = encode_audio(value, self.audio)
        elif name == "video" and self.video is not None:
            components[name] = encode_video(value, self.video)


def _scale_annotations(components: dict[str, Value], scale: tuple[float, float]) -> None:
    """Scale what is measured in pixels with its image; scales are horizontal and vertical."""
    factors = {_BOXES: [*scale, *scale], _KEYPOINTS: [*scale, 1], _AREAS: scale[0] * scale[1]}
    for name, factor in factors.items():
        value = components.get(name)
        if isinstance(value, np.ndarray):
            components[name] = (value * np.array(factor)).astype(value.dtype)
    if SEGMENTATIONS in components:
        components[SEGMENTATIONS] = scaled_segmentations(components[SEGMENTATIONS], scale)
