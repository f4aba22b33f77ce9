"""Whole files, sequences of them, and lists of files."""
