"""Sequences of frames: their mark, and their order."""
