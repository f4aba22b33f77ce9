"""Operators that make batches of constants."""
