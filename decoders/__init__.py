"""Encoded samples to arrays. Importing this enters all decoders."""

from . import inflate, npy, operators, sequence

__all__ = ["inflate", "npy", "operators", "sequence"]
