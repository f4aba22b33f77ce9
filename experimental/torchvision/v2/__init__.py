"""The transforms, and `functional` with the same as functions."""

from .. import *  # noqa: F403
from .. import __all__ as _names
from . import functional

__all__ = [*_names, "functional"]
