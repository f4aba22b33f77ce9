"""Reading processes, which read for a pipeline's readers."""
