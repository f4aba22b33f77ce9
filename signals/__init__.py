"""Arithmetic of sampled signals that decoders and operators share.

sinc             the window of the sinc filter, by quality
resampling       signals at another rate, on the CPU
gpu_resampling   the same on the GPU
amplitude        numbers of signals in other dtypes: the full range of one becomes that of the other
arguments        arguments of several operators
"""
