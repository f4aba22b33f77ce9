"""Bounding boxes and coordinates: flipped, pasted, rotated, cropped at random, encoded for SSD."""
