"""Opening and reading objects behind URLs and names on the Hub, without waiting for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...engine.arrays import Bytes
from ...engine.pending import Pending
from ..hub.names import is_on_hub
from ..source import Allocate
from ..storage.storage import Storage
from . import objects


def start_open(url: str, options: Mapping[str, Any], tail: int = 0) -> Pending[Storage]:
    """Start to open an object: see `objects.start_open`."""
    if is_on_hub(url):
        from ..hub.objects import start_open_on_hub  # needs an optional library

        return start_open_on_hub(url, options, tail)
    return objects.start_open(url, options, tail)


def start_whole(url: str, options: Mapping[str, Any], allocate: Allocate) -> Pending[Bytes]:
    """Start to fetch an object of unknown size: see `objects.start_whole`."""
    if is_on_hub(url):
        from ..hub.objects import start_whole_of_hub  # needs an optional library

        return start_whole_of_hub(url, options, allocate)
    return objects.start_whole(url, options, allocate)
