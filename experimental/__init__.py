"""Interfaces beside pipelines.

dynamic        operators without a pipeline
torchvision    transforms with torchvision's names and pixels
"""
