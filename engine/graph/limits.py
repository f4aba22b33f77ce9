"""The names of limits that a pipeline may meet, by which operators say what would lift them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

LimitName = Literal[
    "unknown",
    "consumer",
    "memory",
    "reading",
    "feeder",
    "Python workers",
    "decoding",
    "operators",
    "cores",
    "GIL",
    "engine",
    "bus",
    "device",
]
"""The name of a resource that is used up: see `engine/work/limit.py`."""

Remedies = Mapping[LimitName, tuple[str, ...]]
"""Advice that would raise the throughput, by the limit, the most promising first."""
