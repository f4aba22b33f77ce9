"""Arrays read from files straight into GPU memory, where GPUDirect Storage serves them.

That holds for samples that lie in local files as the batch has them. All others are read
through host memory, and so are all of a batch in which anything goes wrong: whoever reads it
then finds out what that is.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from ...engine.tensors import TensorListCPU, TensorListGPU
from ..storage.read_plan import Int64s
from ..storage.storage import LocalFile
from .batch import Group, Result
from .gds_support import first_line, hindrance
from .opening import Stored
from .parts import Direct, work_of

if TYPE_CHECKING:
    from ...engine.device_stage import DeviceStage

_THREADS = 8
"""Of KvikIO, whose default is one."""

_OPEN_AT_MOST = 256
_LEAST_BYTES = 1 << 20
"""Of a sample: smaller ones are read faster through the page cache and one copy of the batch."""

STRAIGHT = "reads straight into GPU memory (GPUDirect Storage)"
THROUGH_HOST = "reads through pinned host memory"


class DirectReads:
    """Reads samples into GPU memory. Thread-safe.

    Attributes:
        note: which way the last batch took, and why.
    """

    def __init__(self, stage: DeviceStage) -> None:
        self._stage = stage
        self._verdicts: dict[int, str] = {}
        self._opened = lru_cache(_OPEN_AT_MOST)(self._open)
        self.note = ""

    def verdict(self, path: str) -> str:
        """Return why the file system that `path` is on does not serve, or ""; asked once each."""
        system = os.stat(path).st_dev
        if system not in self._verdicts:
            found = hindrance(path)
            self._verdicts[system] = found[0] if found else ""
        return self._verdicts[system]

    def read(
        self, groups: Sequence[Group], stored: Sequence[Stored], owners: Int64s
    ) -> TensorListGPU | None:
        """Return a batch of samples, complete; None if it has to be read through host memory.

        Args:
            groups: the samples, by the form of their arrays.
            stored: the arrays.
            owners: which of them each sample belongs to.
        """
        found = None
        try:
            why = _obstacle(groups, stored) or self._refusal(stored)
            if not why:
                found = self._read(groups[0], stored, owners[groups[0].rows])
                why = "a file ended too early"
        except (RuntimeError, OSError) as error:  # what KvikIO raises
            why = first_line(error)
        self.note = STRAIGHT if found is not None else f"{THROUGH_HOST}: {why}"
        return found

    def uploaded(self, sample: NDArray[Any]) -> Any:
        """Return a copy of a sample in GPU memory."""
        with self._stage.aside() as device:
            return device.to_device(TensorListCPU([sample])).row(0)

    def close(self) -> None:
        """Close the files, once nobody reads them."""
        self._opened.cache_clear()

    def _refusal(self, stored: Sequence[Stored]) -> str:
        for each in stored:
            assert isinstance(each.storage, LocalFile)
            if why := self._opened(str(each.storage.path), each.storage.stamp)[1]:
                return why
        return ""

    def _open(self, path: str, _stamp: str) -> tuple[Any, str]:
        why = self.verdict(path)
        return (None, why) if why else (import_module("kvikio").CuFile(path), "")

    def _read(self, group: Group, stored: Sequence[Stored], owners: Int64s) -> TensorListGPU | None:
        shapes = group.parts.shape[:, group.parts.kept]
        with self._stage.aside() as device:
            data = device.empty(shapes, group.header.native)
            device.synchronize()  # cuFile knows no streams: the memory's last user must be done
            result = Result([group], len(shapes), lambda *_: data.dense())
            work = work_of(group.work(stored, owners, result, 0.0))
            reads = [each for each in work if isinstance(each, Direct)]  # which all are
            futures = []
            try:
                for each in reads:
                    file, _ = self._opened(str(each.storage.path), each.storage.stamp)
                    futures.append(file.pread(each.buffer, each.buffer.size, each.offset))
            finally:
                counts = _results(futures)
        whole = counts == [each.buffer.size for each in reads]
        return data if whole else None


def direct_reads(stage: DeviceStage, path: str | None) -> tuple[DirectReads | None, str]:
    """Return what reads files like `path` straight into GPU memory, or None; and a note of it.

    Args:
        stage: whose device.
        path: a local file; None if the arrays are elsewhere, or deflated.
    """
    if path is None:
        return None, f"{THROUGH_HOST}: its arrays are deflated, or not in local files"
    try:
        defaults = import_module("kvikio.defaults")
    except ImportError as error:
        how = "is not installed" if error.name == "kvikio" else f"cannot be loaded ({error})"
        return None, f"{THROUGH_HOST}: KvikIO {how}; see `penstock doctor`"
    reads = DirectReads(stage)
    if os.path.isfile(path) and (why := reads.verdict(path)):  # a missing file is found out later
        return None, f"{THROUGH_HOST}: {why}"
    if defaults.get("num_threads") < _THREADS:
        defaults.set("num_threads", _THREADS)
    return reads, STRAIGHT


def _obstacle(groups: Sequence[Group], stored: Sequence[Stored]) -> str:
    """Return why samples cannot be read as they are, or ""."""
    if not all(isinstance(each.storage, LocalFile) for each in stored):
        return "not all files are local"
    if len(groups) > 1:
        return "the arrays of a batch differ in shape or type"
    (group,) = groups
    if group.header.native.kind not in "iuf":
        return f"elements of type {group.header.dtype} are converted on the host"
    if not group.in_runs(stored):
        return "the samples' bytes do not lie side by side, or in another order"
    if int(group.parts.shape[0].prod()) * group.header.dtype.itemsize < _LEAST_BYTES:
        return f"samples of less than {_LEAST_BYTES >> 20} MiB are faster so"
    return ""


def _results(futures: Sequence[Any]) -> list[int]:
    """Wait for all, which must not outlive their memory; raise the first error then."""
    counts, errors = [], []
    for future in futures:
        try:
            counts.append(int(future.get()))
        except Exception as error:
            errors.append(error)
    if errors:
        raise errors[0]
    return counts
