"""Clips of video files, decoded: `fn.readers.video` and `fn.experimental.readers.video`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..decoders.video.clip import DecodeClip, DecodeClipSound
from ..engine.errors import ArgumentError
from ..engine.graph.callers import warn_caller
from ..engine.graph.nodes import add_node
from ..engine.graph.operator import Array, register
from ..engine.graph.params import (
    ANY,
    BOOL,
    DTYPE,
    IMAGE_TYPE,
    INT,
    INTS,
    NO_EFFECT,
    REQUIRED,
    STR,
    STRS,
    param,
)
from ..engine.graph.rules import GpuRules
from ..engine.suggestions import listed
from ..engine.tensors.dtypes import RGB, UINT8, YCbCr
from ..formats.media import pyav
from ..formats.video.selection import PAD_MODES
from ..formats.video.sound_arguments import SoundArguments
from ..readers.listing.listing import VIDEO_PATTERNS, list_files
from ..readers.reader import Reader
from ..readers.storage.urls import is_url
from ..readers.video.clips import ROUNDINGS, ClipRule, RangeRule
from ..readers.video.files import url_opener
from ..readers.video.list_file import ListedVideo, read_video_list
from ..readers.video.source import ClipSource, index_of_file

_FRAME_NUMBERS = {
    "none": None,
    False: None,
    "scalar": "scalar",
    True: "scalar",
    "sequence": "sequence",
}


class VideoClips(SoundArguments, Reader):
    """Base of the readers of clips."""

    devices = ("cpu", "gpu")
    on_gpu = GpuRules(copies_results=True)
    outputs = 5
    adds_operators = True

    filenames = param(STRS, None, "Paths or URLs of the videos.")
    file_root = param(
        STR,
        None,
        "Folder or URL whose subfolders are the classes, numbered in the order of their names.",
    )
    file_list = param(
        STR,
        None,
        "Text file with a path and a label on each line and, if wanted, start and end of the range "
        "that clips are taken from. Relative paths start at the folder of the list. The list and "
        "its lines may be URLs.",
    )
    sequence_length = param(INT, REQUIRED, "Frames of a clip.", minimum=1)
    stride = param(INT, 1, "Distance from a frame of the clip to the next one.", minimum=1)
    step = param(
        INT,
        -1,
        "Distance from a clip's first frame to the first frame of the next clip; by default, and "
        "if negative, `sequence_length` times `stride`, so that clips do not overlap.",
    )
    enable_frame_num = param(
        ANY,
        "none",
        "'scalar' or True adds the number of the clip's first frame as an output, 'sequence' the "
        "numbers of all frames.",
        choices=_FRAME_NUMBERS,
    )
    enable_timestamps = param(
        BOOL, False, "Adds the presentation times of all frames, in seconds, as an output."
    )
    image_type = param(
        IMAGE_TYPE, RGB, "Color space: RGB or YCbCr (ITU-R BT.601).", choices=(RGB, YCbCr)
    )

    def prepare(self) -> None:
        super().prepare()
        pyav()
        owner = f"fn.{self.name}"
        given = [name for name in ("filenames", "file_root", "file_list") if name in self.given]
        if len(given) != 1:
            raise ArgumentError(
                f"{owner} needs one of filenames, file_root and file_list, but got "
                f"{' and '.join(given) or 'none'}"
            )
        if self.step == 0:
            raise ArgumentError(f"{owner}: step must not be 0")
        if "labels" in self.given and self.filenames is None:
            raise ArgumentError(
                f"{owner}: labels are those of filenames; {given[0]} has labels of its own"
            )
        self._opener = url_opener(self.storage_options)

    def clip_rule(self, pad_mode: str, **options: bool) -> ClipRule:
        """Return which frames a clip has; `options` are fields of `ClipRule`."""
        return ClipRule(self.sequence_length, self.stride, self._step(), pad_mode, **options)

    def _step(self) -> int:
        return int(self.step if self.step > 0 else self.sequence_length * self.stride)

    def clips(self, labels: Sequence[int] | None, limits: RangeRule, rule: ClipRule) -> ClipSource:
        """Return the clips of the videos that the arguments name."""
        videos = self.videos(labels)
        return ClipSource(videos, limits, rule, self.storage_options, self.damages)

    def videos(self, labels: Sequence[int] | None) -> list[ListedVideo]:
        """Return the videos that the arguments name."""
        if self.file_list is not None:
            return read_video_list(self.file_list, self.storage_options)
        if self.file_root is not None:
            listed = list_files(
                file_root=self.file_root,
                file_filters=VIDEO_PATTERNS,
                storage_options=self.storage_options,
            )
        else:
            listed = list_files(files=self.filenames, labels=labels)
        paths = [os.fsdecode(path) for path in listed.paths(np.arange(len(listed)))]
        return [
            ListedVideo(path if is_url(path) else os.path.abspath(path), int(label))
            for path, label in zip(paths, listed.labels, strict=True)
        ]

    def clip_arguments(self) -> dict[str, Any]:
        """Return the arguments of the operator that decodes the clips."""
        in_order = not (self.random_shuffle or self.shuffle_after_epoch)
        return {
            "image_type": self.image_type,
            "open_url": self._opener,
            "index_of": index_of_file,
            "step": self._step() if in_order else 0,
        }

    def finished(self, clips: object) -> object:
        """Return the clips as they are handed out."""
        return clips

    def has_labels(self) -> bool:
        """Return whether labels are an output."""
        return self.filenames is None or "labels" in self.given

    def wrap(self, outputs: tuple[Any, ...]) -> Any:
        paths, numbers, labels, times, spans = outputs
        stage = "cpu" if self.device == "cpu" else "mixed"
        (clip,) = add_node(DecodeClip, (paths, numbers), self.clip_arguments(), device=stage)
        chosen = [self.finished(clip)]
        if self.has_labels():
            chosen.append(labels)
        frame_numbers = _FRAME_NUMBERS[self.enable_frame_num]
        if frame_numbers is not None:
            chosen.append(numbers if frame_numbers == "sequence" else numbers[:1])
        if self.enable_timestamps:
            chosen.append(times)
        if self.audio:
            arguments = self.sound_arguments() | {"open_url": self._opener}
            chosen += add_node(DecodeClipSound, (paths, spans), arguments)
        return super().wrap(tuple(chosen))

    def most_together(self, batch_size: int) -> int:
        return 1  # the fixed costs of a batch are small beside those of a clip

    def placeholder(self) -> tuple[Array, ...]:
        length = self.sequence_length
        return (
            np.empty(0, np.uint8),
            np.full(length, -1, np.int32),
            np.zeros(1, np.int32),
            np.full(length, -1.0),
            np.zeros(2),
        )


@register
class ExperimentalVideoReader(VideoClips):
    """Reads clips of video files, decoded.

    Frames are counted in the order of their presentation, whatever their rate. All codecs and
    containers are read that FFmpeg reads.

    A clip takes `sequence_length` times `stride` frames of its range. If the range has fewer frames
    left, `pad_mode` says whether one more clip is padded, or left out.

    With `audio` a clip has the sound from the beginning of its first frame to the end of its last
    one, by the file's time stamps. The sound is zero where the audio stream has no samples. Clips
    that follow one another have each sample once.

    With device="gpu" the GPU's video decoder decodes the videos that it can, and threads of the
    CPU decode the others: see `decoders.video`.

    >>> import cv2
    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> writer = cv2.VideoWriter("clip.avi", cv2.VideoWriter.fourcc(*"MJPG"), 25, (64, 48))
    >>> for brightness in range(0, 250, 25):
    ...     _ = writer.write(np.full((48, 64, 3), brightness, np.uint8))
    >>> writer.release()
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     output = fn.experimental.readers.video(filenames=["clip.avi"], sequence_length=4)
    ...     pipe.set_outputs(output)
    ...     (result,) = pipe.run()
    ...     print(result.shape())
    [(4, 48, 64, 3)]

    Outputs:
        clips: uint8, FHWC.
        labels: int32, shape (1,); with `labels`, `file_root` or `file_list`.
        frame numbers: int32, see `enable_frame_num`; -1 for a filled frame.
        times: float64, shape (F,), in seconds; -1 for a filled frame.
        sound: float32 from -1 to 1, shape (samples, channels), or (samples,) with `audio_downmix`.
        rate of the sound: float32, a scalar, in Hz.

    Raises:
        SourceError: the list cannot be read.
        OSError: a file cannot be read.
        DecodeError: a file is no video, or a frame is damaged. If the pipeline's `on_error` is
            "skip" or "replace", files that are no videos are left out with a warning. With
            `audio`: a video has no audio stream, or its stream is damaged.
    """

    name = "experimental.readers.video"

    labels = param(INTS, None, "Labels of `filenames`.")
    file_list_format = param(
        STR,
        "timestamps",
        "Whether start and end of a range are 'timestamps', in seconds, or 'frames'.",
        choices=("timestamps", "frames"),
    )
    file_list_rounding = param(
        STR,
        "start_down_end_up",
        "How start and end between two frames are rounded: 'start_down_end_up', "
        "'start_up_end_down', 'all_up' or 'all_down'.",
        choices=ROUNDINGS,
    )
    file_list_include_end = param(
        BOOL,
        False,
        "Whether the frame at the end of a range belongs to the range. DALI's documentation says "
        "that the default is True; DALI 2.4 leaves the frame out all the same.",
    )
    pad_mode = param(
        STR,
        "none",
        "What replaces frames behind the end of the range: 'none' leaves the incomplete clip out; "
        "see `decoders.video` for the others.",
        choices=PAD_MODES,
    )
    fill_value = param(
        INTS, (0,), "One value from 0 to 255, or one a channel.", minimum=0, maximum=255
    )
    uniform_sample = param(
        BOOL,
        False,
        "Take one clip of each video: frames at equal distances, from its first to its last one. "
        "`stride`, `step` and `pad_mode` have no effect then, as in DALI, and give a warning.",
    )

    def prepare(self) -> None:
        super().prepare()
        given = [name for name in ("stride", "step", "pad_mode") if name in self.given]
        if self.uniform_sample and given:
            warn_caller(
                f"fn.{self.name}: uniform_sample=True leaves {listed(given)} without effect; give "
                "one or the other",
                RuntimeWarning,
            )

    def open_source(self) -> ClipSource:
        limits = RangeRule(
            self.file_list_format == "frames", self.file_list_rounding, self.file_list_include_end
        )
        rule = self.clip_rule(self.pad_mode, uniform=self.uniform_sample, whole_strides=True)
        return self.clips(self.labels, limits, rule)

    def clip_arguments(self) -> dict[str, Any]:
        return super().clip_arguments() | {"fill_value": self.fill_value}


@register
class VideoReader(VideoClips):
    """Reads clips of video files, decoded: the older interface of `experimental.readers.video`.

    With device="gpu" the GPU's video decoder decodes what it can: see `decoders.video`.

    >>> import cv2
    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> writer = cv2.VideoWriter("clip.avi", cv2.VideoWriter.fourcc(*"MJPG"), 25, (64, 48))
    >>> for brightness in range(0, 250, 25):
    ...     _ = writer.write(np.full((48, 64, 3), brightness, np.uint8))
    >>> writer.release()
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.readers.video(filenames=["clip.avi"], sequence_length=4))
    ...     (result,) = pipe.run()
    ...     print(result.shape())
    [(4, 48, 64, 3)]

    Outputs:
        clips: uint8 or float, FHWC; the other outputs are those of `experimental.readers.video`.

    Raises:
        SourceError, OSError, DecodeError: as `experimental.readers.video`.
    """

    name = "readers.video"
    aliases = ("video_reader",)

    labels = param(INTS, None, "Labels of `filenames`; an empty list stands for 0, 1, 2, ...")
    file_list_frame_num = param(
        BOOL, False, "Whether start and end of a range are frames; else they are seconds."
    )
    file_list_include_preceding_frame = param(
        BOOL,
        False,
        "Round the start of a range down and its end up, in place of the start up, the end down.",
    )
    pad_sequences = param(
        BOOL, False, "Whether incomplete clips are filled with black frames, not left out."
    )
    dtype = param(DTYPE, UINT8, "Element type of the clips: UINT8 or FLOAT.")
    normalized = param(BOOL, False, "Whether floats span 0 to 1 in place of 0 to 255.")
    channels = param(INT, 3, "Number of channels: 3.", minimum=3, maximum=3)
    skip_vfr_check = param(BOOL, False, NO_EFFECT)
    additional_decode_surfaces = param(INT, 2, NO_EFFECT)

    def open_source(self) -> ClipSource:
        down = self.file_list_include_preceding_frame and not self.file_list_frame_num
        rounding = "start_down_end_up" if down else "start_up_end_down"
        limits = RangeRule(self.file_list_frame_num, rounding)
        rule = self.clip_rule("constant" if self.pad_sequences else "none")
        return self.clips(self.labels or None, limits, rule)

    def clip_arguments(self) -> dict[str, Any]:
        return super().clip_arguments() | {"dtype": self.dtype, "normalized": self.normalized}
