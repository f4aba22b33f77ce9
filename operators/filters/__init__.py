"""Images under filters: blur, and the losses of JPEG."""
