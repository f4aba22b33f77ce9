"""Tar archives of the WebDataset format."""
