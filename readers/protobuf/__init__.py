"""Protocol buffers, one by one and many at once."""
