"""Shapes of samples, and their other properties."""
