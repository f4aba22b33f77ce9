"""The class by its older name: `penstock.plugin.numba.experimental.NumbaFunction`."""

from . import NumbaFunction

__all__ = ["NumbaFunction"]
