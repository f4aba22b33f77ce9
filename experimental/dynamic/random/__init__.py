"""Operators of `ndd.random`; made by docs/generate.py."""

import sys as _sys

from .. import _Group
from ..generators import RNG, get_default_rng, set_seed  # noqa: F401

_sys.modules[__name__].__class__ = _Group
