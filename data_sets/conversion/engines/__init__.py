"""Where the tasks of a conversion run: threads here, or the workers of a cluster."""
