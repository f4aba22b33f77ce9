"""The composite operators. Importing this enters all of them into the table of operators."""

from . import nemo_asr, numpy_decoder, sequence, video, video_resize

__all__ = ["nemo_asr", "numpy_decoder", "sequence", "video", "video_resize"]
