"""Encoded audio to signals.

table            the table of audio formats: one row a format
formats/         one module a format: its signature, and the proof that a file is complete
engines/         libsndfile, and dr_flac for FLAC
decode           decode one file or a window of it
mixed            decode a batch into GPU memory
mixed_windows    which windows of which files the GPU decodes
audio_decoder    `fn.decoders.audio`
utterance        the windows of `fn.readers.nemo_asr`
"""
