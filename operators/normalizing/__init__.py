"""Operators that subtract means, divide by deviations, and scale."""
