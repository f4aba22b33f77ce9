"""Writes `sets.json`: small MDS data sets by mosaicml-streaming, and what it reads from them.

    python make.py

`make peers PEERS=mds` installs the package. Each set has the files, and the samples that
`StreamingDataset` gives: bytes and images as base64, arrays as dtype, shape and base64.
"""

from __future__ import annotations

import base64
import io
import json
import sys
import tempfile
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from streaming import MDSWriter, StreamingDataset
from streaming.base.util import clean_stale_shared_memory, merge_index

SETS = Path(__file__).resolve().parent / "sets.json"

NUMBERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
REALS = ("float16", "float32", "float64")


def image(number: int, mode: str) -> Image.Image:
    """Return an image whose size and pixels follow from the number."""
    pixels = np.arange((3 + number) * 4 * 4, dtype=np.uint8).reshape(3 + number, 4, 4) * 3
    channels = {"L": 1, "LA": 2, "RGB": 3, "RGBA": 4}[mode]
    return Image.fromarray(pixels[..., :channels].squeeze(), mode)


def scalars(number: int) -> dict[str, tuple[str, Any]]:
    """Return the encoding and the value of each column."""
    columns: dict[str, tuple[str, Any]] = {"n": ("int", number - 2)}
    for name in NUMBERS:
        info = np.iinfo(name)
        columns[name] = (name, [info.min, info.max, number][number % 3])
    for name in REALS:
        columns[name] = (name, number * 0.75 - 1)
    columns["text"] = ("str", "añ€" * number)
    columns["many"] = ("str_int", [-(2**40), 5, 0][number % 3])
    columns["real"] = ("str_float", number / 7)
    columns["money"] = ("str_decimal", Decimal(f"{number}.10"))
    columns["raw"] = ("bytes", bytes(range(number)))
    columns["told"] = ("json", {"a": [number, None], "b": "ü"})
    return columns


def arrays(number: int) -> dict[str, tuple[str, Any]]:
    """Return arrays whose type and shape are told by the encoding, or by each value."""
    ramp = np.arange(6 * (number + 1))
    return {
        "fixed": ("ndarray:float32:2,3", ramp[:6].reshape(2, 3).astype(np.float32) / 3),
        "typed": ("ndarray:uint16", ramp.reshape(-1, 6).astype(np.uint16)),
        "free": ("ndarray", (ramp.reshape(1, -1, 3) - 4).astype(np.int8)),
        "long": ("ndarray:int32", np.arange(250 + number, dtype=np.int32)),
    }


def images(number: int) -> dict[str, tuple[str, Any]]:
    """Return images in each encoding; JPEG files are given as bytes, as most programs do."""
    stream = io.BytesIO()
    image(number, "RGB").save(stream, "JPEG")
    return {
        "jpeg": ("jpeg", stream.getvalue()),
        "png": ("png", image(number, "RGBA")),
        "pil": ("pil", image(number, ("L", "LA", "RGB", "RGBA")[number % 4])),
    }


def lists(number: int) -> dict[str, tuple[str, Any]]:
    """Return lists of images, of which some have none."""
    pictures = [image(number + i, ("RGB", "L")[i % 2]) for i in range(number)]
    files = []
    for picture in [*pictures, image(0, "RGB")]:
        stream = io.BytesIO()
        picture.save(stream, "JPEG")
        files.append(stream.getvalue())
    return {
        "n": ("int", number),
        "pils": ("list[pil]", pictures),
        "jpegs": ("list[jpeg]", pictures),
        "pngs": ("list[png]", pictures),
        "array": ("jpeg_array", files),
        "older": ("jpegarray", files),
    }


def tokens(number: int) -> dict[str, tuple[str, Any]]:
    """Return what LLM Foundry writes."""
    return {"tokens": ("bytes", np.arange(8, dtype=np.int64).tobytes()), "n": ("int", number)}


def mixed(number: int) -> dict[str, tuple[str, Any]]:
    """Return a few columns, for sets of many shards."""
    return {
        "text": ("str", f"{number:03d}" * 9),
        "n": ("int", number),
        "x": ("float64", number / 3),
    }


def unread(number: int) -> dict[str, tuple[str, Any]]:
    """Return a column that is no data."""
    return {"n": ("int", number), "p": ("pkl", {number})}


def write(root: Path, columns: Any, count: int, **options: Any) -> None:
    """Write a set."""
    kinds = {name: encoding for name, (encoding, _) in columns(0).items()}
    with MDSWriter(out=str(root), columns=kinds, **options) as writer:
        for number in range(count):
            writer.write({name: value for name, (_, value) in columns(number).items()})


def merged(root: Path) -> None:
    """Write two sets in folders of one, whose index is merged."""
    for part in ("a", "b"):
        write(root / part, mixed, 4, size_limit=420)
    merge_index(str(root))


def splits(root: Path) -> None:
    """Write two splits."""
    write(root / "train", mixed, 5)
    write(root / "val", mixed, 2, compression="zstd")


MAKERS: dict[str, Any] = {
    "scalars": lambda root: write(root, scalars, 6),
    "arrays": lambda root: write(root, arrays, 3),
    "images": lambda root: write(root, images, 4),
    "lists": lambda root: write(root, lists, 4),
    "tokens": lambda root: write(root, tokens, 3, hashes=["sha1", "xxh64"]),
    "shards": lambda root: write(root, mixed, 12, size_limit=450, hashes=["sha1"]),
    "pickles": lambda root: write(root, unread, 3),
    "merged": merged,
    "splits": splits,
    **{
        name: lambda root, name=name: write(
            root, mixed, 9, size_limit=450, compression=name, hashes=["sha256", "xxh64"]
        )
        for name in ("zstd:7", "gz", "bz2:1", "br", "snappy")
    },
}
"""What writes each set."""

REFUSED = ("pickles", "br", "snappy")
"""Sets of which no sample is compared."""


def plain(value: Any) -> Any:
    """Return a value of JSON."""
    if isinstance(value, Image.Image):
        return {"mode": value.mode} | plain(np.asarray(value))
    if isinstance(value, np.ndarray | np.generic):
        content = base64.b64encode(value.tobytes()).decode()
        return {"dtype": value.dtype.name, "shape": value.shape, "base64": content}
    if isinstance(value, list):
        return [plain(each) for each in value]
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return value if isinstance(value, int | float | str | dict) else str(value)


def read(root: Path, split: str | None = None) -> list[Any]:
    """Return the samples as `StreamingDataset` reads them."""
    clean_stale_shared_memory()
    with tempfile.TemporaryDirectory() as local:
        data = StreamingDataset(remote=str(root), local=local, split=split, batch_size=1)
        samples = [data[number] for number in range(len(data))]
        return [{name: plain(value) for name, value in s.items()} for s in samples]


def made(root: Path, name: str) -> dict[str, Any]:
    """Write a set below a folder; return its files and its samples."""
    MAKERS[name](root / name)
    files = sorted(path for path in (root / name).rglob("*") if path.is_file())
    named = {str(path.relative_to(root / name)): path.read_bytes() for path in files}
    parts = [None] if name not in ("splits",) else ["train", "val"]
    return {
        "files": {
            path: content.decode() if path.endswith(".json") else plain(content)
            for path, content in named.items()
        },
        "samples": [s for p in parts for s in read(root / name, p)] if name not in REFUSED else [],
    }


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(folder)
        content = {name: made(root, name) for name in MAKERS}
    SETS.write_text(json.dumps(content, separators=(",", ":")) + "\n")
