"""Copy a JPEG without the blemishes that concern no pixel.

TurboJPEG reports the first warning of libjpeg alone, and pixels may be lost behind a harmless one.
So a file with a warning is decoded again from a copy without its harmless blemishes: if that decode
gives no warning, all pixels are intact. The blemishes:

- ICC profiles with wrong chunk numbers (profiles do not change the decoded pixels),
- stray bytes between segments before the first scan,
- an unknown revision of JFIF, and a color transform of Adobe's segment that is not one of so many
  components (libjpeg then takes YCbCr or YCCK),
- scan parameters that sequential coding does not use,
- zeros between the picture and the end-of-image marker,
- a missing or cut end-of-image marker, if all components are in one sequential scan that does not
  end in zeros. With several scans, nobody knows whether another one would have followed. Zeros at
  the end are the end of a hole, because encoders fill the last byte with ones.

Other bytes before the end-of-image marker are left: bytes also remain when the decoder lost its way
in damaged data.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import jpeg

_END = b"\xff\xd9"
_JFIF_MAJOR = 5  # offset of the revision in the segment's content
_ADOBE_TRANSFORM = 11  # offset in the segment's content; 0 stands for no transform
_TRANSFORMS = {3: 1, 4: 2}  # YCbCr and YCCK, by the number of components


class JpegRepair(NamedTuple):
    """A repaired copy.

    Attributes:
        data: the copy.
        blemishes: what the copy lacks, for people.
    """

    data: NDArray[np.uint8]
    blemishes: str


def repaired(data: NDArray[np.uint8]) -> JpegRepair | None:
    """Return a copy without harmless blemishes; None if the file has none of them."""
    view = data.data
    parts: list[bytes] = [b"\xff\xd8"]
    blemishes: list[str] = []
    frame, components = jpeg.frame(view)
    is_sequential, end = frame in jpeg.SEQUENTIAL_FRAMES, 2
    for marker, start, stop in jpeg.segments(view):
        if _is_stray(view[end : start - 4]):
            blemishes.append("stray bytes between segments")
        content = bytearray(view[start:stop])
        if marker == jpeg.START_OF_SCAN and is_sequential and content[-3:] != b"\0\x3f\0":
            blemishes.append("scan parameters of progressive coding")
            content[-3:] = b"\0\x3f\0"
        end = stop
        if marker == jpeg.ICC_SEGMENT and content[:12] == b"ICC_PROFILE\0":
            blemishes.append("an ICC profile")
            continue
        blemishes += _repair_segment(marker, content, components)
        parts.append(bytes((0xFF, marker)) + (len(content) + 2).to_bytes(2, "big") + content)
    is_single_scan = is_sequential and view[start:stop][:1] == bytes([components])
    rest, blemish = _repaired_end(bytes(view[end:]), is_single_scan)
    blemishes += blemish
    if not blemishes:
        return None
    return JpegRepair(np.frombuffer(b"".join([*parts, rest]), np.uint8), ", ".join(blemishes))


def _is_stray(between: memoryview) -> bool:
    """Return whether bytes between two segments are other than fill bytes."""
    return bool(bytes(between).strip(b"\xff"))


def _repair_segment(marker: int, content: bytearray, components: int) -> list[str]:
    is_jfif = marker == jpeg.JFIF_SEGMENT and content[:5] == b"JFIF\0"
    if is_jfif and content[_JFIF_MAJOR : _JFIF_MAJOR + 1] != b"\1":
        content[_JFIF_MAJOR : _JFIF_MAJOR + 1] = b"\1"
        return ["an unknown revision of JFIF"]
    is_adobe = marker == jpeg.ADOBE_SEGMENT and content[:5] == b"Adobe"
    transform = _TRANSFORMS.get(components, 0)
    if is_adobe and content[_ADOBE_TRANSFORM:][:1] not in (b"", b"\0", bytes([transform])):
        content[_ADOBE_TRANSFORM] = transform
        return ["an unknown color transform"]
    return []


def _repaired_end(rest: bytes, is_single_scan: bool) -> tuple[bytes, list[str]]:
    """Return the data behind the first scan's header, up to one end-of-image marker."""
    end = rest.rfind(_END)
    if end < 0:
        if not is_single_scan or _ends_in_zeros(rest):
            return rest, []
        return rest.removesuffix(b"\xff") + _END, ["no end-of-image marker"]
    picture = rest[:end].rstrip(b"\0")
    if picture.endswith(b"\xff"):
        picture += b"\0"  # a stuffed byte of the picture
    if len(picture) == end:
        return rest, []
    return picture + _END, ["zeros behind the picture"]


def _ends_in_zeros(rest: bytes) -> bool:
    """Return whether the last byte is a zero that is not stuffed behind 0xff."""
    return rest.endswith(b"\0") and not rest.endswith(b"\xff\0")
