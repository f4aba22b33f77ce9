"""The libraries that decode images, one module a library."""
