"""Image geometry that readers, decoders and operators share. Nothing here touches pixels.

layouts        which axis of a sample is which
windows        boxes in samples, and the arguments of a crop
slices         the arguments of a slice
random_crop    the random window of image classification
rounding       to the nearest integer, halves away from zero
"""
