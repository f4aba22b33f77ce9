"""H.264 whose frames are pairs of fields, each coded as a picture (PAFF), as camcorders record.

No encoder of FFmpeg makes such streams. x264 codes each field as a picture of its own, and the
headers are rewritten: the sequence has fields (`frame_mbs_only_flag` is 0), the first field of a
frame is an IDR picture, and the second one is an I picture of the same frame. The decoder reads
the coefficients in the order of fields, so the pictures are not those that were encoded.
ITU-T H.264, 7.3.2.1.1 and 7.3.3.
"""

from __future__ import annotations

import io
import re
from fractions import Fraction

import av
import numpy as np

_SLICE, _IDR, _SPS, _PPS = 1, 5, 7, 8  # nal_unit_type
_OPTIONS = {
    "profile": "baseline",
    "x264-params": "keyint=1:scenecut=0:threads=1:slices=1:log-level=none",
}


class _Bits:
    """Bits that are read from the front, and copied."""

    def __init__(self, unit):
        data = unit[1:].replace(b"\0\0\3", b"\0\0")
        self.left = "".join(f"{byte:08b}" for byte in data)
        self.copied = ""

    def take(self, count):
        bits, self.left = self.left[:count], self.left[count:]
        return bits

    def copy(self, count):
        self.copied += self.take(count)

    def take_number(self):
        """Take an Exp-Golomb code."""
        return int(self.take(2 * self.left.index("1") + 1), 2) - 1

    def copy_number(self):
        number = self.take_number()
        self.copied += _code(number)
        return number

    def unit(self, header):
        """Return the unit of what was copied and what is left."""
        bits = (self.copied + self.left).rstrip("0")  # ends with the stop bit
        bits += "0" * (-len(bits) % 8)
        out = bytearray([header])
        for start in range(0, len(bits), 8):
            byte = int(bits[start : start + 8], 2)
            if byte <= 3 and out[-2:] == b"\0\0":
                out.append(3)
            out.append(byte)
        return b"\0\0\0\1" + bytes(out)


def _code(number):
    bits = f"{number + 1:b}"
    return "0" * (len(bits) - 1) + bits


def _sequence(unit):
    """Return the sequence's parameters, with fields, and the bits of `frame_num`."""
    bits = _Bits(unit)
    bits.copy(24)  # profile, constraints, level
    bits.copy_number()
    length = 4 + bits.copy_number()
    assert bits.copy_number() == 2  # the order of pictures is that of decoding
    bits.copy_number()
    bits.copy(1)
    bits.copy_number()
    bits.copy_number()
    assert bits.take(2) == "11"
    bits.copied += "001"  # frame_mbs_only, mb_adaptive_frame_field, direct_8x8_inference
    return bits.unit(unit[0]), length


def _field(unit, length, number):
    """Return the picture as field `number` of the stream."""
    is_second = number % 2 == 1
    bits = _Bits(unit)
    for _ in range(3):  # first_mb_in_slice, slice_type, pic_parameter_set_id
        bits.copy_number()
    bits.copy(length)
    bits.copied += f"1{number % 2}"  # field_pic_flag, bottom_field_flag
    bits.take_number()
    bits.copied += "" if is_second else _code(number // 2 % 2)  # idr_pic_id
    marking = bits.take(2)
    bits.copied += "0" if is_second else marking
    return bits.unit(unit[0] & 0xE0 | (_SLICE if is_second else _IDR))


def _pictures(frames):
    """Encode frames as pictures; return those of each one, and the parameters before them."""
    file = io.BytesIO()
    with av.open(file, "w", format="h264") as output:
        stream = output.add_stream("libx264", rate=50, options=_OPTIONS)
        stream.height, stream.width, _ = frames[0].shape
        stream.pix_fmt = "yuv420p"
        for number, image in enumerate(frames):
            frame = av.VideoFrame.from_ndarray(image, "rgb24").reformat(format="yuv420p")
            frame.pts, frame.time_base = number, Fraction(1, 50)
            output.mux(stream.encode(frame))
        output.mux(stream.encode(None))
    return [unit for unit in re.split(b"\0\0\0?\1", file.getvalue()) if unit]


def field_pairs(frames, *, together):
    """Return a transport stream of frames, 25 a second: (height, width, 3) with height % 32 == 0.

    `together` tells whether the fields of a frame share a packet of the container, as in AVCHD.
    """
    fields = [np.ascontiguousarray(frame[half::2]) for frame in frames for half in (0, 1)]
    units = _pictures(fields)
    sequence, length = _sequence(next(unit for unit in units if unit[0] & 31 == _SPS))
    parameters = next(unit for unit in units if unit[0] & 31 == _PPS)
    head = sequence + b"\0\0\0\1" + parameters
    slices = [unit for unit in units if unit[0] & 31 == _IDR]
    coded = [_field(unit, length, number) for number, unit in enumerate(slices)]
    coded = [head * (number % 2 == 0) + field for number, field in enumerate(coded)]
    step = 2 if together else 1
    coded = [b"".join(coded[start : start + step]) for start in range(0, len(coded), step)]
    file = io.BytesIO()
    with (
        av.open(io.BytesIO(b"".join(coded)), format="h264") as raw,
        av.open(file, "w", format="mpegts") as output,
    ):
        stream = output.add_stream_from_template(raw.streams.video[0])
        for number, content in enumerate(coded):
            packet = av.Packet(content)
            packet.stream, packet.time_base = stream, Fraction(step, 50)
            packet.pts = packet.dts = number
            packet.is_keyframe = together or number % 2 == 0
            output.mux(packet)
    return file.getvalue()
