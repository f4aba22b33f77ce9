"""Writers of data sets: one module for each storage format."""
