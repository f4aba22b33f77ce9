"""MDS data sets that mosaicml-streaming wrote, and what it reads from them: `written/make.py`."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

WRITTEN = json.loads((Path(__file__).parent / "written" / "sets.json").read_text())
COMPRESSED = ("zstd:7", "gz", "bz2:1")
Content = dict[str, bytes]


def files_of(name: str) -> Content:
    """Return the files of a set by their names."""
    return {
        path: content.encode() if path.endswith(".json") else base64.b64decode(content)
        for path, content in WRITTEN[name]["files"].items()
    }


def put(content: str | Content, root: Path) -> str:
    """Write the files of a set into a folder."""
    for path, data in (files_of(content) if isinstance(content, str) else content).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    return str(root)


def value_of(value: Any) -> Any:
    """Return a value as streaming gave it: an array or number of NumPy, the rest as JSON has it."""
    if not isinstance(value, dict) or "dtype" not in value:
        return value
    return np.frombuffer(base64.b64decode(value["base64"]), value["dtype"]).reshape(value["shape"])


def expected(name: str) -> list[dict[str, Any]]:
    """Return the samples of a set, as streaming gave them."""
    return [{k: value_of(v) for k, v in s.items()} for s in WRITTEN[name]["samples"]]


def shard(samples: Sequence[bytes]) -> bytes:
    """Return the file of a shard."""
    start = 4 * (len(samples) + 2)
    bounds = np.cumsum([start, *map(len, samples)])
    return struct.pack(f"<I{len(bounds)}I", len(samples), *bounds.tolist()) + b"".join(samples)


def made(columns: dict[str, tuple[str, int | None]], samples: Sequence[bytes]) -> Content:
    """Return the files of a set with one shard, for values that streaming does not write.

    Args:
        columns: encoding and size of each.
        samples: their bytes.
    """
    content = shard(samples)
    entry = {
        "version": 2,
        "format": "mds",
        "samples": len(samples),
        "column_names": [*columns],
        "column_encodings": [encoding for encoding, _ in columns.values()],
        "column_sizes": [size for _, size in columns.values()],
        "compression": None,
        "raw_data": {"basename": "shard.00000.mds", "bytes": len(content), "hashes": {}},
        "zip_data": None,
    }
    index = json.dumps({"version": 2, "shards": [entry]}).encode()
    return {"index.json": index, "shard.00000.mds": content}


def changed(content: Content, **changes: Any) -> Content:
    """Return a set whose index has other members in its first shard."""
    index = json.loads(content["index.json"])
    index["shards"][0] |= changes
    return content | {"index.json": json.dumps(index).encode()}


def decoded(text: str) -> bytes:
    """Return bytes, which JSON has as base64."""
    return base64.b64decode(text)
