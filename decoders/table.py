"""The decoders. Importing this enters all of them into the table of operators."""

from . import inflate, npy
from .audio import audio_decoder, utterance
from .image import image_decoder, sequence, windowed
from .video import clip, video_decoder, video_input

__all__ = [
    "audio_decoder",
    "clip",
    "image_decoder",
    "inflate",
    "npy",
    "sequence",
    "utterance",
    "video_decoder",
    "video_input",
    "windowed",
]
