"""What the tests of clusters share: a source, and a filter that kills a worker once."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from penstock import datasets
from penstock.testing import made

OPTIONS = {"to": "tfrecord", "shard_count": 4, "shuffle_seed": 3}


class KillOnce:
    """A filter that keeps all samples, and kills the process that first looks at one sample."""

    __qualname__ = "KillOnce"

    def __init__(self, mark: Path, parent: int) -> None:
        self._mark = mark
        self._parent = parent

    def __call__(self, sample: datasets.Sample) -> bool:
        if os.getpid() != self._parent and sample.key == "a/004":
            try:
                self._mark.touch(exist_ok=False)
            except FileExistsError:
                return True
            os.kill(os.getpid(), signal.SIGKILL)
        return True


def check_engine(engine: str, folder: Path) -> None:
    """Compare a conversion on a cluster, one of whose workers dies, with the local one."""
    source = made.write(folder / "source", made.images(), classes=("a", "b"))
    keep = KillOnce(folder / "killed", os.getpid())
    datasets.convert(source, folder / "local", where=keep, **OPTIONS)
    seen = []
    report = datasets.convert(
        source, folder / engine, where=keep, engine=engine, progress=seen.append, **OPTIONS
    )
    assert (folder / "killed").exists()
    assert report.samples == seen[-1].samples == 12
    assert made.files_of(folder / engine) == made.files_of(folder / "local")
