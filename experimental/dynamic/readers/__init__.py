"""Operators of `ndd.readers`; made by docs/generate.py."""

import sys as _sys

from .. import _Group

_sys.modules[__name__].__class__ = _Group
