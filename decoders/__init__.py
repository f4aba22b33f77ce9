"""Encoded samples to arrays. Importing this package enters all decoders into the operator table.

audio/     audio: a table of formats, the libraries that decode them, the operators
image/     images: a table of formats, the CPU and GPU engines that decode them, the operators
errors     errors for encoded bytes
inflate    compressed bytes of a known shape
npy        the bytes of `.npy` files
video/     videos, through PyAV

A family of media has a folder of its own, with a table of its formats.
"""

from . import audio, image, inflate, npy, video

__all__ = ["audio", "image", "inflate", "npy", "video"]
