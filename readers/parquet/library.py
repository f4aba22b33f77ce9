"""PyArrow: importing it, and naming files in its errors."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING

from ...engine.errors import PenstockError, SourceError, imported

if TYPE_CHECKING:
    import pyarrow as pa


def pyarrow() -> ModuleType:
    """Import PyArrow.

    Raises:
        MissingDependencyError: PyArrow is not installed.
    """
    for module in ("pyarrow", "pyarrow.compute", "pyarrow.parquet"):
        imported(module, "Parquet files need pyarrow", "parquet")
    return sys.modules["pyarrow"]


@contextmanager
def named_errors(place: str) -> Iterator[None]:
    """Turn PyArrow's errors within the block into SourceErrors that name the place."""
    try:
        yield
    except PenstockError:
        raise
    except OSError as error:
        if error.errno is not None:  # the system's error, not PyArrow's for damaged data
            raise
        raise SourceError(f"{place}: {_first_line(error)}") from None
    except (pyarrow().ArrowException, UnicodeDecodeError, OverflowError) as error:
        raise SourceError(f"{place}: {_first_line(error)}") from None


def check_names(fields: Iterable[pa.Field]) -> None:
    """Raise UnicodeDecodeError if a name in a schema is no UTF-8: it would be raised later."""
    for field in fields:
        assert isinstance(field.name, str)
        check_names(map(field.type.field, range(field.type.num_fields)))


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n", 1)[0][:500] or type(error).__name__
