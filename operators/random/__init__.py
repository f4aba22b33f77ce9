"""Operators that draw random numbers and random elements."""
