"""`data.yaml` of YOLO: `path`, `train`, `val`, `test` and `names`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...engine.errors import DecodeError, imported

SPLITS = ("train", "val", "test")
_MOST_CLASSES = 1_000_000
_MOST_BYTES = 16 << 20


@dataclass(frozen=True)
class YoloFile:
    """The content of a file.

    Attributes:
        path: folder of the data set, as the file has it; "" if the file has none.
        splits: by name, the folders of images and the lists of images.
        classes: name of each class by its number.
        points: numbers that describe the keypoints of a box; 0 without keypoints.
    """

    path: str = ""
    splits: Mapping[str, Sequence[str]] = field(default_factory=dict)
    classes: tuple[str, ...] = ()
    points: int = 0


def parse_yolo_file(text: bytes, name: str) -> YoloFile:
    """Return the content of a file.

    Raises:
        DecodeError: the file is no YAML, or a member has another form.
        MissingDependencyError: PyYAML is not installed.
    """
    if len(text) > _MOST_BYTES:
        raise DecodeError(f"{name}: {len(text):,} bytes are no data.yaml")
    yaml = imported("yaml", f"{name} needs PyYAML", "yaml")
    try:
        content = yaml.safe_load(text.decode("utf-8", "replace"))
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise DecodeError(f"{name} is no YAML: {error}") from None
    if not isinstance(content, dict):
        raise DecodeError(f"{name} holds no members, such as `train` and `names`")
    path = content.get("path", "")
    path = "" if isinstance(path, list | dict) else path
    splits = {
        split: _texts(content[split], f"{name}: `{split}`")
        for split in SPLITS
        if content.get(split)
    }
    return YoloFile(str(path or ""), splits, _classes(content.get("names"), name), _points(content))


def _texts(value: object, where: str) -> list[str]:
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        shown = "a list or mapping" if isinstance(value, list | dict) else f"{value!r:.80}"
        raise DecodeError(f"{where} is {shown}, neither a path nor a list of paths")
    return texts


def _classes(names: object, where: str) -> tuple[str, ...]:
    """Return the names in order; a mapping has numbers, or names alone, as in older files."""
    if not isinstance(names, list | dict):
        raise DecodeError(f"{where}: `names` is {names!r:.80}, neither a list nor a mapping")
    # The text of a list in a list, whose parts YAML repeats, could fill the memory.
    values = names if isinstance(names, list) else names.values()
    if any(isinstance(value, list | dict) for value in values):
        raise DecodeError(f"{where}: `names` holds a list or a mapping in place of a name")
    if isinstance(names, list):
        return tuple(map(str, names))
    numbers = [int(key) if isinstance(key, int) or str(key).isdigit() else -1 for key in names]
    if names and not 0 <= min(numbers) <= max(numbers) < _MOST_CLASSES:
        raise DecodeError(f"{where}: `names` has a key that is no number of a class")
    named = dict(zip(numbers, map(str, names.values()), strict=True))
    return tuple(named.get(number, "") for number in range(max(numbers, default=-1) + 1))


def _points(content: Mapping[str, Any]) -> int:
    shape = content.get("kpt_shape")
    is_shape = isinstance(shape, list) and len(shape) == 2 and all(type(n) is int for n in shape)
    return max(shape[0] * shape[1], 0) if is_shape and shape is not None else 0
