"""Image formats, one module a format: its signature, its header, and what its decode checks."""
