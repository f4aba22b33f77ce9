"""The arguments of readers whose outputs are columns by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .reader import Reader


def check_columns(reader: Reader, columns: Sequence[str], dtypes: Sequence[object] | None) -> None:
    """Raise ArgumentError if a reader has no columns, or not one of `dtypes` for each."""
    if not columns:
        reader.refuse("columns is empty; name at least one column")
    if dtypes is not None and len(dtypes) != len(columns):
        reader.refuse(
            f"{len(dtypes)} dtypes for {len(columns)} columns; give one for each, or none"
        )
