"""The functions of this plugin, by DALI's names."""

from . import experimental
from .experimental import numba_function

__all__ = ["experimental", "numba_function"]
