"""Videos whose frames carry their number as a bar code that survives compression.

Their sound is a tone that rises, so that it tells the time.
"""

from __future__ import annotations

import functools
import io
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av
import numpy as np

HEIGHT, WIDTH, BARS = 96, 160, 12
# Container, encoder, pixels and options, by name.
FORMS = {
    "h264.mp4": ("mp4", "libx264", "yuv420p", {}),
    "h264 open groups.mkv": ("matroska", "libx264", "yuv420p", {"x264-params": "open-gop=1"}),
    "h264 4:4:4.mp4": ("mp4", "libx264", "yuv444p", {}),
    "h264 4:2:2.mov": ("mov", "libx264", "yuv422p", {}),
    "h264.ts": ("mpegts", "libx264", "yuv420p", {}),
    "hevc.mp4": ("mp4", "libx265", "yuv420p", {"x265-params": "log-level=none"}),
    "hevc 10 bit.mkv": ("matroska", "libx265", "yuv420p10le", {"x265-params": "log-level=none"}),
    "vp8.webm": ("webm", "libvpx", "yuv420p", {}),
    "vp9.webm": ("webm", "libvpx-vp9", "yuv420p", {}),
    "h264.avi": ("avi", "libx264", "yuv420p", {"bf": "3"}),
    "h264.mpg": ("mpeg", "libx264", "yuv420p", {"bf": "2"}),
    "mpeg4.avi": ("avi", "mpeg4", "yuv420p", {"bf": "2"}),
    "mpeg4.mp4": ("mp4", "mpeg4", "yuv420p", {"bf": "2"}),
    "mjpeg.avi": ("avi", "mjpeg", "yuvj420p", {}),
    "av1.mkv": ("matroska", "libsvtav1", "yuv420p", {"preset": "8", "crf": "20"}),
    "av1 10 bit.mp4": ("mp4", "libsvtav1", "yuv420p10le", {"preset": "8", "crf": "20"}),
    "h264 4:2:2 10 bit.mkv": ("matroska", "libx264", "yuv422p10le", {}),
    "hevc 4:4:4.mkv": ("matroska", "libx265", "yuv444p", {"x265-params": "log-level=none"}),
    "hevc open groups.ts": (
        *("mpegts", "libx265", "yuv420p"),
        {"x265-params": "open-gop=1:log-level=none"},
    ),
    "mpeg2.mpg": ("mpeg", "mpeg2video", "yuv420p", {"bf": "2"}),
    "ffv1.mkv": ("matroska", "ffv1", "bgr0", {}),
    "wmv2.asf": ("asf", "wmv2", "yuv420p", {}),
    "mpeg2.mxf": ("mxf", "mpeg2video", "yuv420p", {"bf": "2"}),
    "prores.mov": ("mov", "prores_ks", "yuv422p10le", {}),
    # Without a container.
    "h264": ("h264", "libx264", "yuv420p", {}),
    "h264 open groups": ("h264", "libx264", "yuv420p", {"x264-params": "open-gop=1"}),
    "hevc": ("hevc", "libx265", "yuv420p", {"x265-params": "log-level=none"}),
    "vp9.ivf": ("ivf", "libvpx-vp9", "yuv420p", {}),
    "av1.obu": ("obu", "libsvtav1", "yuv420p", {"preset": "8", "crf": "20"}),
    "mpeg4.m4v": ("m4v", "mpeg4", "yuv420p", {"bf": "2"}),
    "mpeg2.m2v": ("mpeg2video", "mpeg2video", "yuv420p", {"bf": "2"}),
    "mjpeg": ("mjpeg", "mjpeg", "yuvj420p", {}),
}
UNITS = 3000  # of time in a second


@dataclass(frozen=True)
class Sound:
    """The audio stream of a video.

    Attributes:
        codec: name of the encoder.
        rate: samples a second.
        seconds: how long the stream is.
        delay: seconds from the beginning of the first frame to the first sample.
        channels: number of channels; each has the sound of the first one, negative in turn.
    """

    codec: str
    rate: int = 32000
    seconds: float = 1.0
    delay: float = 0.0
    channels: int = 2


def tone(seconds):
    """Return the sound at these times after the first frame."""
    seconds = np.asarray(seconds)
    return (0.5 * np.sin(2 * np.pi * (400 + 300 * seconds) * seconds)).astype(np.float32)


def add_sound(output, sound, start):
    """Encode a sound; return a function that muxes the sound."""
    layout = {1: "mono", 2: "stereo"}[sound.channels]
    stream = output.add_stream(sound.codec, rate=sound.rate, layout=layout)
    form = stream.codec_context.codec.audio_formats[0].name

    def mux():
        converter = av.AudioResampler(form, layout, sound.rate)
        times = sound.delay + np.arange(int(sound.seconds * sound.rate)) / sound.rate
        signs = (-1) ** np.arange(sound.channels)[:, np.newaxis]
        signal = tone(times) * signs.astype(np.float32)
        for first in range(0, len(times), 1024):
            block = np.ascontiguousarray(signal[:, first : first + 1024])
            frame = av.AudioFrame.from_ndarray(block, "fltp", layout)
            frame.sample_rate, frame.time_base = sound.rate, Fraction(1, sound.rate)
            frame.pts = round((start / UNITS + sound.delay) * sound.rate) + first
            for converted in converter.resample(frame):
                output.mux(stream.encode(converted))
        output.mux(stream.encode(None))

    return mux


def picture(number, height=HEIGHT, width=WIDTH):
    """Return a frame: its number in bars, and a red box that moves."""
    image = np.full((height, width, 3), 40, np.uint8)
    for bar in range(BARS):
        if number >> bar & 1:
            image[8:40, 8 + bar * 12 : 18 + bar * 12] = 230
    left = number * 3 % 120
    image[50:90, left : left + 20] = 200, 60, 60
    return image


def number_of(image):
    """Return the number that a frame carries."""
    bars = (image[12:36, 10 + bar * 12 : 16 + bar * 12].mean() for bar in range(BARS))
    return sum(1 << bar for bar, level in enumerate(bars) if level > 135)


def numbers_of(clip):
    return [number_of(image) for image in clip]


def in_own_thread(encode):
    """Return a function that encodes in a thread of its own.

    SVT-AV1 gives the thread that calls it real-time priority if the user is root. Processes that
    this thread starts would inherit the priority, and starve all others.
    """

    @functools.wraps(encode)
    def encode_in_thread(*arguments, **named):
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(encode, *arguments, **named).result()

    return encode_in_thread


@in_own_thread
def video_bytes(
    form="h264.mp4",
    count=30,
    group=8,
    times=None,
    start=0,
    size=(HEIGHT, WIDTH),
    first=0,
    sound=None,
    **changes,
):
    """Encode a video.

    Args:
        form: one of FORMS.
        count: of frames.
        group: frames from one key frame to the next.
        times: of the frames in units; by default 30 frames a second.
        start: time of the first frame in units.
        size: height and width.
        first: the number that the first frame carries.
        sound: of the video, a `Sound`.
        changes: options of the encoder, `rotation` in degrees, or `muxer`, options of the
            container.
    """
    container, codec, pixels, options = FORMS[form]
    file = io.BytesIO()
    rotation, muxer = changes.pop("rotation", 0), changes.pop("muxer", {})
    with av.open(file, "w", format=container, options=muxer) as output:
        stream = output.add_stream(codec, rate=30, options={**options, **changes})
        stream.height, stream.width = size
        stream.pix_fmt, stream.gop_size = pixels, group
        if container not in ("h264", "hevc") and codec != "mpeg2video":  # these state a rate
            stream.codec_context.time_base = Fraction(1, UNITS)
        if not count:
            output.start_encoding()
        mux_sound = add_sound(output, sound, start) if sound else lambda: None
        if rotation:
            stream.set_display_rotation(rotation)
        for number in range(count):
            frame = av.VideoFrame.from_ndarray(picture(first + number, *size), format="rgb24")
            frame = frame.reformat(format=pixels)
            frame.pts = start + (times[number] if times else number * UNITS // 30)
            frame.time_base = Fraction(1, UNITS)
            output.mux(stream.encode(frame))
        output.mux(stream.encode(None))
        mux_sound()
    return file.getvalue()


def video_file(path, *arguments, **named):
    """Write a video; return its path."""
    Path(path).write_bytes(video_bytes(*arguments, **named))
    return str(path)


def damaged(data, number):
    """Overwrite the packet of the frame with this number by noise."""
    with av.open(io.BytesIO(data)) as container:
        packets = [p for p in container.demux(container.streams.video[0]) if p.size]
        packet = sorted(packets, key=lambda packet: packet.pts)[number]
        start, size = packet.pos, packet.size
    # FFmpeg conceals some noise without a word; this noise it does not.
    noise = np.random.default_rng(0).integers(0, 256, size - 40).astype(np.uint8).tobytes()
    return data[: start + 40] + noise + data[start + size :]


def sound_bytes():
    """Encode a sound without pictures."""
    file = io.BytesIO()
    with av.open(file, "w", format="mp4") as output:
        stream = output.add_stream("aac", rate=16000, layout="mono")
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 4096), np.float32), "fltp", "mono")
        frame.sample_rate = 16000
        output.mux(stream.encode(frame))
        output.mux(stream.encode(None))
    return file.getvalue()
