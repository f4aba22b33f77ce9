"""Checkpoints: the position of a run, as a short JSON text in UTF-8.

A checkpoint holds the seed, the number of samples delivered, and the state of each input. The
state of a reader is its epoch and the positions that no rank has read yet. The state of an
external source is the state of the user's object. An iterator adds its count of batches.
Everything else is a function of these: no queue, no buffer and no generator state is stored.

Version 1 had no count of an iterator.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from ..errors import CheckpointError

_VERSION = 2
_MOST_SAMPLES = 1 << 62  # positions are 64-bit numbers


@dataclass(frozen=True)
class Checkpoint:
    """The data from which a pipeline continues.

    Attributes:
        seed: seed of the pipeline; None if nothing in the pipeline draws random numbers from it.
            Then ranks with other seeds have the same checkpoint.
        samples: number of samples that one rank has delivered since the first start. In graphs
            without a reader, random numbers continue from this number.
        inputs: state of each input operator, by its name.
        iterator: count of the iterator over the pipeline, as `plugin.iterator_state` defines it;
            None if the checkpoint is of a pipeline alone.
    """

    seed: int | None
    samples: int
    inputs: dict[str, Any]
    iterator: dict[str, Any] | None = None

    def dump(self) -> bytes:
        """Return the checkpoint as JSON text in UTF-8."""
        content = {"penstock_checkpoint": _VERSION, **asdict(self)}
        return json.dumps(content, separators=(",", ":")).encode()


def load(source: str | bytes | bytearray | memoryview | os.PathLike[str]) -> Checkpoint:
    """Read a checkpoint from its bytes, its text, or the path of a file that holds it.

    Raises:
        CheckpointError: there is no such file, or the data are no checkpoint.
    """
    where = "the checkpoint"
    try:
        given = bytes(source) if isinstance(source, bytearray | memoryview) else source
        text = os.fsdecode(given)
        if not text.lstrip().startswith("{"):
            where = f"the checkpoint file {text!r:.200}"
            text = Path(text).read_text(encoding="utf-8")
        data = json.loads(text)
        version = data.pop("penstock_checkpoint")
        if type(version) is not int or version < 1:
            raise TypeError(f"its version is {version!r:.40}, and not a number from 1 on")
        if version > _VERSION:
            raise CheckpointError(
                f"{where} has version {version}, but this release reads versions 1 to {_VERSION}: "
                "restore it with the release that wrote it"
            )
        if odd := data.keys() - {field.name for field in fields(Checkpoint)}:
            raise TypeError(f"it has the field {min(odd)!r:.80}, which no checkpoint has")
        if missing := {"seed", "samples", "inputs"} - data.keys():
            raise TypeError(f"it has no field {min(missing)!r}")
        checkpoint = Checkpoint(**data)
        seed_type = type(checkpoint.seed)
        if seed_type not in (int, type(None)) or not isinstance(checkpoint.inputs, dict):
            raise TypeError("wrong types")
        if not isinstance(checkpoint.iterator, dict | None):
            raise TypeError(f"iterator is {checkpoint.iterator!r:.80}")
        if type(checkpoint.samples) is not int or not 0 <= checkpoint.samples < _MOST_SAMPLES:
            raise ValueError(f"samples is {checkpoint.samples!r}")
    except OSError as error:
        raise CheckpointError(f"{where} cannot be read: {error}") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        if isinstance(error, CheckpointError):
            raise
        raise CheckpointError(f"{where} is no checkpoint of a pipeline: {error}") from error
    return checkpoint
