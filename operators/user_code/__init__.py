"""Users' own functions and data in a pipeline."""
