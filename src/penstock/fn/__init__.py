"""The operators as functions: `fn.readers.file(...)`, `fn.resize(images, ...)`.

Each takes nodes of the graph and returns one, or a list if the operator has several
outputs. A list of nodes in place of an input applies the operator to each of its members, with
the same random numbers.
The functions are made from the operators' declarations, also of operators that are registered
later; the stubs beside this file hold the signatures of Penstock's own, for type checkers and
editors.
"""

import sys as _sys
from typing import Any as _Any

from ..engine.graph.functions import function_of as _function_of
from ..engine.graph.namespaces import Namespace as _Namespace


class _Functions(_Namespace):
    """Operators as functions."""

    home = __name__
    member = staticmethod(_function_of)

    def __getattr__(self, name: str) -> _Any:
        if name == "_conditional":  # which few programs need
            from ..engine.conditions import splitting

            return splitting
        return super().__getattr__(name)


_sys.modules[__name__].__class__ = _Functions
