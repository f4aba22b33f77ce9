"""COCO's annotation files, parsed into columns."""
