"""Images under affine maps: rotation."""
