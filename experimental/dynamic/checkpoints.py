"""`Checkpoint`: the states of readers and random number generators, in one file."""

from __future__ import annotations

import json
import os
import re
import string
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from ...engine.errors import CheckpointError
from ...engine.run.checkpointing import write_file

_VERSION = 1
_UNNAMED = "__op_"  # prefix of the keys of objects without a name


class _Entry(NamedTuple):
    state: Any
    type_name: str | None


class Stateful(Protocol):
    """A reader, a `random.RNG`, or any other object with these methods."""

    def get_state(self, *, cuda_stream: object = None) -> Any:
        """Return the state, which `str` turns into text."""

    def set_state(self, state: Any) -> None:
        """Go on from a state or its text."""


class Checkpoint:
    """The states of readers and random number generators, to go on from later.

    `register` names the objects, `collect` takes their states, and `save` writes these to a file.
    In a later run, `load` comes first: then `register` gives each object its state.

    >>> from penstock.experimental import dynamic as ndd
    >>> saved, rng = ndd.checkpoint.Checkpoint(), ndd.random.RNG(seed=3)
    >>> saved.register(rng, "noise")
    'noise'
    >>> saved.collect()
    >>> expected = rng()
    >>> later, other = ndd.checkpoint.Checkpoint(), ndd.random.RNG()
    >>> later.deserialize(saved.serialize())
    >>> later.register(other, "noise")
    'noise'
    >>> other() == expected
    True
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget all objects and states."""
        self._objects: dict[str, Any] = {}
        self._entries: dict[str, _Entry] = {}
        self._waiting: set[str] = set()  # names whose object has not got its state yet
        self._complete = self._loaded = False

    @property
    def is_complete(self) -> bool:
        """Whether the states are those of the last `collect`."""
        return self._complete

    @property
    def is_loaded(self) -> bool:
        """Whether the states are those of the last `load` or `deserialize`."""
        return self._loaded

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the registered objects."""
        return tuple(self._objects)

    def __len__(self) -> int:
        return len(self._objects)

    def __contains__(self, name: object) -> bool:
        return str(name) in self._objects

    def register(self, op: Stateful, name: str | None = None) -> str:
        """Add an object, and give it the state that the checkpoint has for it, if any.

        Args:
            op: a reader or a `random.RNG`.
            name: by default the number of objects so far. An object keeps its first name. A name
                that is in use gets the new object in place of the old one.

        Returns:
            The name.

        Raises:
            KeyError: a loaded checkpoint has no state of this name.
            RuntimeError: the states are collected already.
        """
        known = next((key for key, registered in self._objects.items() if registered is op), None)
        if name is not None and (not name or name.startswith(_UNNAMED)):
            raise ValueError(f"an object cannot be named {name!r}")
        if known is not None and name not in (None, known):
            raise RuntimeError(f"the object is registered as {known!r}, not as {name!r}")
        key = known or name or f"{_UNNAMED}{len(self._objects)}"
        previous = self._objects.get(key)
        if previous is None:
            if self._complete:
                raise RuntimeError(f"{key!r} comes after `collect`; call `clear` first")
            if self._loaded and key not in self._entries:
                raise KeyError(
                    f"the checkpoint has no state of {key!r}; it has {sorted(self._entries)}"
                )
        elif type(previous) is not type(op):
            raise TypeError(f"{key!r} is a {type(previous).__name__}, not a {type(op).__name__}")
        self._objects[key] = op
        self._apply(key)
        return key

    def _apply(self, key: str) -> None:
        if key not in self._waiting:
            return
        entry, op = self._entries[key], self._objects[key]
        if entry.type_name not in (None, type(op).__qualname__):
            raise TypeError(
                f"the state of {key!r} is that of a {entry.type_name}, not of a "
                f"{type(op).__qualname__}"
            )
        op.set_state(entry.state)
        self._waiting.discard(key)

    def get_state(self, name: str) -> Any:
        """Return the state that the checkpoint has for a registered object, or None."""
        if str(name) not in self._objects:
            raise KeyError(f"there is no object named {name!r}; there are {list(self._objects)}")
        entry = self._entries.get(str(name))
        return None if entry is None else entry.state

    def set_state(self, name: str, value: Any, op_type: type | str | None = None) -> None:
        """Set the state of an object, which `register` or `restore` gives to the object.

        Args:
            name: of the object, which may be registered later.
            value: the state, or its text.
            op_type: class that the object must have, or the class's name.
        """
        if self._complete and str(name) not in self._objects:
            raise KeyError(f"there is no object named {name!r}; there are {list(self._objects)}")
        if op_type is not None and not isinstance(op_type, type | str):
            raise TypeError(f"op_type must be a class or its name, but is {op_type!r}")
        kind = op_type.__qualname__ if isinstance(op_type, type) else op_type
        self._entries[str(name)] = _Entry(value, kind)
        self._waiting.add(str(name))

    def collect(self) -> None:
        """Take the state of each registered object."""
        self._check_names()
        self._entries = {
            key: _Entry(op.get_state(cuda_stream=None), type(op).__qualname__)
            for key, op in self._objects.items()
        }
        self._waiting.clear()
        self._complete, self._loaded = True, False

    def restore(self) -> None:
        """Give each registered object its state, unless it has the state already."""
        if not self._entries:
            return
        self._check_names()
        if missing := sorted(set(self._objects) - set(self._entries)):
            raise RuntimeError(f"the checkpoint has no state of {missing}")
        for key in sorted(self._waiting):
            self._apply(key)

    def _check_names(self) -> None:
        if surplus := sorted(set(self._entries) - set(self._objects)):
            raise RuntimeError(f"the checkpoint has states of {surplus}, which are not registered")

    def serialize(self) -> str:
        """Return the states as JSON."""
        if not self._entries:
            raise RuntimeError("the checkpoint has no states; call `collect` first")
        states = {
            key: {"state": str(entry.state), "type": entry.type_name}
            for key, entry in self._entries.items()
        }
        return json.dumps({"version": _VERSION, "states": states})

    def deserialize(self, data: str) -> None:
        """Take the states that `serialize` has returned.

        Raises:
            CheckpointError: `data` is something else.
        """
        try:
            content = json.loads(data)
            version, states = content["version"], content["states"]
            entries = {key: _Entry(str(v["state"]), v["type"]) for key, v in states.items()}
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise CheckpointError(f"this is no checkpoint of dynamic mode: {error!r}") from error
        if version != _VERSION:
            raise CheckpointError(f"the checkpoint has version {version}, not {_VERSION}")
        self._entries = entries
        self._waiting = set(entries)
        self._complete, self._loaded = False, True

    def save(self, filename: str) -> str:
        """Write the states to a file, which is never seen half written.

        Args:
            filename: a path in which `{seq}`, if it is there, stands for the number after the
                largest of the files that exist. `{seq:04d}` has four digits.

        Returns:
            The path.
        """
        numbers = [number for number, _ in _files(filename)]
        path = Path(filename.format(seq=max(numbers, default=-1) + 1))
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, self.serialize().encode())
        return os.fspath(path)

    def load(self, filename: str) -> str:
        """Read the states from a file; of a path with `{seq}`, the one with the largest number.

        Returns:
            The path.

        Raises:
            FileNotFoundError: there is no such file.
        """
        last = max(_files(filename), default=None)
        if last is None:
            raise FileNotFoundError(f"there is no file {filename!r}")
        self.deserialize(Path(last[1]).read_text(encoding="utf-8"))
        return last[1]


def _files(pattern: str) -> list[tuple[int, str]]:
    """Return the number and the path of each file that fits a pattern."""
    text, fields = "", 0
    for literal, field, _, _ in string.Formatter().parse(pattern):
        text += re.escape(literal)
        if field is not None:
            if field != "seq" or fields:
                raise ValueError(f"{pattern!r} may have one field, {{seq}}, and no other")
            text, fields = text + r"(\d+)", 1
    folder = Path(pattern).parent
    if not folder.is_dir():
        return []
    paths = [os.path.join(os.path.dirname(pattern), entry.name) for entry in folder.iterdir()]
    matches = ((re.fullmatch(text, path), path) for path in paths)
    return [(int(m[1]) if fields else 0, path) for m, path in matches if m is not None]
