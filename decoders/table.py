"""The decoders. Importing this enters all of them into the table of operators."""

from . import inflate, json_field
from .audio import audio_decoder, utterance
from .image import image_decoder, sequence, windowed
from .video import clip, video_decoder, video_input

__all__ = [
    "audio_decoder",
    "clip",
    "image_decoder",
    "inflate",
    "json_field",
    "sequence",
    "utterance",
    "video_decoder",
    "video_input",
    "windowed",
]
