"""Interfaces that may still change: see the modules of this folder."""
