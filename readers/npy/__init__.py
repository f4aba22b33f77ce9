"""Arrays in NumPy's formats, whole or regions of them."""
