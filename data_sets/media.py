"""Which files hold images, audio and video: by extension, and by their first bytes."""

from __future__ import annotations

from ..formats.endings import AUDIO as AUDIO
from ..formats.endings import ENDINGS
from ..formats.endings import IMAGE as IMAGE
from ..formats.endings import VIDEO as VIDEO
from ..formats.endings import medium_of as medium_of
from .schema import ENCODED, Schema

OTHER = "data"
"""Name of an encoded component that has neither a name of its own nor a known extension."""

_RANK = {ending: rank for rank, ending in enumerate(sum(ENDINGS.values(), ()))}

_MAGICS: tuple[tuple[int, bytes, str], ...] = (
    (0, b"\xff\xd8\xff", "jpg"),
    (0, b"\x89PNG\r\n\x1a\n", "png"),
    (0, b"BM", "bmp"),
    (0, b"II*\0", "tif"),
    (0, b"MM\0*", "tif"),
    (0, b"GIF8", "gif"),
    (8, b"WEBP", "webp"),
    (0, b"\0\0\0\x0cjP  ", "jp2"),
    (0, b"fLaC", "flac"),
    (8, b"WAVE", "wav"),
    (0, b"OggS", "ogg"),
    (0, b"ID3", "mp3"),
    (0, b"\x1aE\xdf\xa3", "mkv"),
    (4, b"ftyp", "mp4"),
    (8, b"AVI ", "avi"),
    (0, b"\0\0\1\xba", "mpg"),
    (0, b"\x93NUMPY", "npy"),
)
LONGEST_MAGIC = 12


def encoded_component(schema: Schema) -> tuple[str, str]:
    """Return name and medium of the first component with images or sound; ("", "") without one."""
    for name, component in schema.items():
        medium = medium_of(component.extension) or name
        if component.type == ENCODED and medium in (IMAGE, AUDIO):
            return name, medium
    return "", ""


def main_components(schema: Schema) -> list[str]:
    """Return the names of the component with images or sound, or else of all, and of the label."""
    encoded = encoded_component(schema)[0]
    names = [encoded] if encoded else list(schema)
    return names + ["label"] * ("label" in schema and "label" not in names)


def main_components_first(schema: Schema) -> list[str]:
    """Return the names of all components, those of `main_components` first."""
    return [*dict.fromkeys([*main_components(schema), *schema])]


def rank_of(extension: str) -> int:
    """Return the place of an extension among those of all media: photographs come before masks.

    >>> rank_of("JPG") < rank_of("png"), rank_of("wav") < rank_of("flac")
    (True, True)
    """
    return _RANK[extension.lower()]


def extension_of(content: bytes | memoryview) -> str:
    """Return the extension that fits the first bytes of a file, or "".

    >>> extension_of(b"fLaC...")
    'flac'
    """
    head = bytes(content[:LONGEST_MAGIC])
    for offset, magic, extension in _MAGICS:
        if head[offset : offset + len(magic)] == magic:
            return extension
    return ""
