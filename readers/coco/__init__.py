"""COCO data sets: images, boxes, masks, keypoints and panoptic segmentations.

selection     the images and annotations that are read
samples       annotations in the form in which batches take them
columns       the outputs: columns of a batch
source        images with their annotations
panoptic      PNG files whose colors are the ids of segments
preprocessed  annotations in DALI's files
"""
