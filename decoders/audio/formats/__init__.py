"""One module a format: its signature, and the proof that the file is complete."""
