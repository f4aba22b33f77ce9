"""Functions that Numba compiles, in pipelines.

    from penstock.plugin.numba.fn.experimental import numba_function

Numba is imported when a pipeline is defined that uses it.
"""

from . import fn as fn

__all__: list[str] = []  # `fn` would replace the program's own
