"""COCO data sets: images, boxes, masks, keypoints and panoptic segmentations."""
