"""The process that reads for a reader."""
