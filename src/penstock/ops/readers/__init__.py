"""Operators of `ops.readers`; made by docs/generate.py."""

import sys as _sys

from .. import _Classes

_sys.modules[__name__].__class__ = _Classes
