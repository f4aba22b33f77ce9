"""Random pixels, objects and windows of segmentation masks; polygons of chosen masks."""
