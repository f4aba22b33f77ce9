"""Modules whose names and arguments may still change."""
