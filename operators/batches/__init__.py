"""Operators that reorder the samples of a batch."""
