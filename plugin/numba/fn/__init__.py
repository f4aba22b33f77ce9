"""The functions of this plugin, by DALI's names."""

from . import experimental

__all__ = ["experimental"]
