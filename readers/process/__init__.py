"""The reading process, which reads for a pipeline's readers."""
