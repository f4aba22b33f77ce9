"""Arithmetic, conversions, and how numbers become those of another type."""
