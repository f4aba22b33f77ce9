"""Signals at another rate: `fn.audio_resample`."""
