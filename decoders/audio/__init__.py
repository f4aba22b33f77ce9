"""Encoded audio to signals.

table            the table of audio formats: one row a format
formats/         one module a format: its signature, and the proof that a file is complete
engines/         libsndfile, and dr_flac for FLAC
decode           decode one file or a window of it
mixed            decode a batch into GPU memory
gpu_flac         FLAC files, by CUDA kernels; flac_streams: their headers, for a whole batch
mixed_windows    which windows of which files the GPU decodes
soundness        the check of signals that a library returned: whether they are complete
channels         which channels of a file make those of a signal
audio_decoder    `fn.decoders.audio`
utterance        the windows of `fn.readers.nemo_asr`
"""
