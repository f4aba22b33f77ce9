"""A file that lists the sources of a mixture, as the target of commands."""

from __future__ import annotations

import sys
import warnings
from typing import Any

from ..engine.graph.functions import apply
from ..engine.graph.operator import OPERATORS
from ..engine.pipeline.definition import pipeline_def
from ..readers.mds.columns import LISTS, is_read
from ..readers.mds.index_file import folder_of, shards_of
from ..readers.mixture.from_file import is_mixture, sources_of_file
from ..readers.mixture.streams import LOADER, STREAMS
from ..readers.storage.opening import read_whole
from ..readers.webdataset.energon import loaded
from .console import Printer


def is_mixture_file(path: str) -> bool:
    """Return whether a YAML file lists the sources of a mixture."""
    return is_mixture(loaded(path, read_whole(path)))


@pipeline_def
def mixture(path: str, split: str | None = None, **source_arguments: object) -> Any:
    """Read a mixture; `source_arguments` are those of its sources' readers."""
    arguments = {
        "members": path,
        "split": split,
        "source_arguments": source_arguments,
        "random_shuffle": True,
    }
    return tuple(apply(OPERATORS["readers.mix"], (), arguments, "mixture"))


def sources_of(path: str, split: str | None) -> dict[str, dict[str, float]]:
    """Return of each source its samples, its share, and how often it comes in an epoch."""
    # The reader of archives wants to know a component, and warns if no sample has it.
    arguments: dict[str, Any] = {}
    content = loaded(path, read_whole(path))
    if "splits" in content:
        arguments = {"ext": ["json"], "missing_component_behavior": "empty"}
    elif STREAMS in content or LOADER in content:
        arguments = {"columns": [_column_of_streams(path, split)]}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*all arrays of this output are empty")
        with mixture(path, split, batch_size=1, num_threads=1, **arguments) as pipe:
            meta = pipe.reader_meta("mixture")
    return {
        name: {
            "samples": source["samples"],
            "share": source["share"],
            "samples_of_epoch": source["share"] * meta["epoch_size"],
            "epochs": source["share"] * meta["epoch_size"] / source["samples"],
        }
        for name, source in meta["sources"].items()
    }


def _column_of_streams(path: str, split: str | None) -> str:
    """Return the name of a column that all streams should have."""
    members, _ = sources_of_file("penstock", path, split, {})
    (folder,), part = (next(iter(members.values())).arguments[name] for name in ("path", "split"))
    shards = shards_of(folder_of(folder, part))
    columns = [column for shard in shards[:1] for column in shard.columns]
    names = [column.name for column in columns if is_read(column)]
    images = [f"{column.name}[0]" for column in columns if column.encoding in LISTS]
    return next(iter((*names, *images)), "")


def print_sources(path: str, sources: dict[str, dict[str, float]]) -> None:
    """Print a row for each source."""
    printer = Printer(sys.stdout)
    total = sum(source["samples_of_epoch"] for source in sources.values())
    printer.print((path, "bold"), f"  {len(sources)} sources of {total:,.0f} samples an epoch")
    rows = [
        (
            name,
            f"{source['samples']:,}",
            f"{source['share']:.4f}",
            f"{source['samples_of_epoch']:,.0f}",
            f"{source['epochs']:.2f}",
        )
        for name, source in sources.items()
    ]
    printer.table(("source", "samples", "share", "in an epoch", "epochs"), rows, words=1)
