"""The composite operators. Importing this enters all of them into the table of operators."""

from . import coco, image_list, nemo_asr, numpy_decoder, sequence, video, video_resize

__all__ = ["coco", "image_list", "nemo_asr", "numpy_decoder", "sequence", "video", "video_resize"]
