"""Operators of `fn.io.file`; made by docs/generate.py."""

import sys as _sys

from ... import _Functions

_sys.modules[__name__].__class__ = _Functions
