"""Checkpoints: where a run stands, as a short JSON text.

It holds the seed, the number of samples delivered, and for each input what it needs to go
on: for a reader the epoch and which of its positions no rank has been given yet, for an
external source what the user's object said of itself. No queue, no buffer, no generator
state: everything else is a function of these.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .errors import CheckpointError

_VERSION = 1


@dataclass(frozen=True)
class Checkpoint:
    """What a pipeline needs to go on.

    Attributes:
        seed: the pipeline's.
        samples: places in the batches that one rank was given since the first start; the
            randomness of graphs without a reader goes on from there.
        inputs: state of each input operator, by its name.
    """

    seed: int
    samples: int
    inputs: dict[str, Any]

    def dump(self) -> str:
        """Return the text form."""
        return json.dumps({"penstock_checkpoint": _VERSION, **asdict(self)})


def load(source: str | bytes | os.PathLike[str]) -> Checkpoint:
    """Read a checkpoint from its text, or from the file that holds it.

    Raises:
        CheckpointError: there is no such file, or what was given is no checkpoint.
    """
    where = "the checkpoint"
    try:
        text = os.fsdecode(source)
        if not text.lstrip().startswith("{"):
            where = f"the checkpoint file {text!r:.200}"
            text = Path(text).read_text(encoding="utf-8")
        data = json.loads(text)
        version = data.pop("penstock_checkpoint")
        if version != _VERSION:
            raise CheckpointError(f"{where} has version {version}; this release reads {_VERSION}")
        checkpoint = Checkpoint(**data)
        if type(checkpoint.seed) is not int or not isinstance(checkpoint.inputs, dict):
            raise TypeError("wrong types")
        if type(checkpoint.samples) is not int or checkpoint.samples < 0:
            raise ValueError(f"samples is {checkpoint.samples!r}")
    except OSError as error:
        raise CheckpointError(f"{where} cannot be read: {error}") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        if isinstance(error, CheckpointError):
            raise
        raise CheckpointError(f"{where} is no checkpoint of a pipeline: {error}") from error
    return checkpoint
