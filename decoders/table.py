"""The decoders. Importing this enters all of them into the table of operators."""

# ruff: noqa: F401 (an import is all that an operator needs)

from . import inflate, json_field, npy
from .audio import audio_decoder, utterance
from .image import image_decoder, sequence, windowed
from .video import clip, video_decoder, video_input
