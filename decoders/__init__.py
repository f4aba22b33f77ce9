"""Encoded samples to arrays.

audio/     audio: a table of formats, the libraries that decode them, the operators
cache/     a file of decoded samples that all processes of a host share
image/     images: a table of formats, the CPU and GPU engines that decode them, the operators
errors     errors for encoded bytes
inflate    compressed bytes of a known shape
json_field numbers and texts from JSON
on_cpu     threads for what a decoder on the GPU leaves to the CPU
video/     videos, through PyAV
table      all decoders

A family of media has a folder of its own, with a table of its formats.
"""
