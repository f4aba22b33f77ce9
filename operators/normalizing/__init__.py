"""Means, deviations and scaling."""
