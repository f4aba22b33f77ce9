"""Optical flow, by the engine of NVIDIA's GPUs."""
