"""Rotation."""
