"""Arrays that are stored in `.npy` format: `fn.readers.numpy`."""

from __future__ import annotations

from functools import partial
from math import prod
from typing import Any, ClassVar

import numpy as np

from ...engine.control.readings import Decision
from ...engine.control.reads import AheadLimits, ahead
from ...engine.errors import ArgumentError
from ...engine.graph.context import BatchContext
from ...engine.graph.inputs import Resources
from ...engine.graph.limits import Remedies
from ...engine.graph.operator import Array, register
from ...engine.graph.params import (
    ANY,
    ANY_FLOAT,
    BOOL,
    FLOATS,
    INT,
    INTS,
    NO_EFFECT,
    STR,
    param,
)
from ...engine.graph.rules import GpuRules
from ...engine.order.selection import Selection
from ...engine.pending import Later, Pending
from ...engine.tensors import TensorList, TensorListCPU
from ...geometry.layouts import check_exclusive
from ..array_files import FILE_LIST, FILE_ROOT, FILES, ArrayFileReader
from ..process.reading_process import ReadingProcess
from ..reading.carriers import Carrier, CountedMemory, ReadColumns, Threads
from ..source import nbytes_of
from .array_list import list_arrays
from .gds import THROUGH_HOST, direct_reads
from .mapped_copies import MappedCopies, copying_threads
from .region import NAMES, POLICIES, RegionOfInterest, parse_key
from .source import NumpySource

MAX_DIMENSIONS = 64  # of NumPy's arrays


@register
class NumpyReader(ArrayFileReader):
    """Reads arrays from `.npy` files, whole or a region of interest of each.

    Only the bytes that a region needs are read. Its arguments mean what those of `fn.slice`
    mean, along `roi_axes`; `roi` is written as an index of NumPy. Versions 1 to 3 of the format,
    both orders of dimensions and both byte orders are read. Files may be of different shapes; all
    samples of a batch must have one type and number of dimensions.

    Archives (`.npz`, `.zip`, `.tar`) hold several arrays; each member that matches
    `member_filter` is one. Stored members are read in place; deflated members are inflated from
    their beginning to their end, whatever the region. With `sample_axis` an array holds several
    samples.

    Folders are no classes: the reader knows no labels. For class folders of `.npy` files,
    `fn.readers.file(file_root=..., file_filters="*.npy")` gives files with labels, and
    `fn.decoders.numpy` their arrays.

    Regions of local files that lie in memory are copied out of maps of them, where that is faster:
    by a process of the reader's own, because a mapped file that is cut short ends the process. It
    is started after a fifth of a second of such work; `Pipeline.stats` says how much it copied.

    With `device="gpu"` the batch is read into pinned memory, by as many threads as the pipeline has
    where that pays, and copied to the GPU while the next one is read. Where KvikIO is installed and
    GPUDirect Storage serves the file system, samples of 1 MiB and more whose bytes lie side by side
    in the file are read straight into the GPU's memory. `Pipeline.stats` says which way was taken,
    and why.

    >>> import numpy as np
    >>> from penstock import fn, pipeline_def
    >>> np.save("volume.npy", np.arange(60.0).reshape(5, 3, 4))
    >>> @pipeline_def(batch_size=2, num_threads=1)
    ... def crops():
    ...     return fn.readers.numpy(files="volume.npy", sample_axis=0, roi="[1:, ::2]")
    >>> with crops() as pipe:
    ...     (found,) = pipe.run()
    >>> found.as_array()[1].tolist()
    [[16.0, 18.0], [20.0, 22.0]]

    Outputs:
        the array: of the file's type, and of the shape of the region. Complex numbers come as
            floats with a last axis of two more, real and imaginary part; dates and differences
            of dates as int64, in the file's unit.

    Differences from DALI: lines of `file_list` may end in CR LF; a link to a folder is a folder.

    Raises:
        SourceError: a folder, list or archive cannot be read or holds no array; a file is cut
            off.
        DecodeError: a file is no `.npy` file, or of objects (which would have to be unpickled),
            strings or records; or it differs in type from the others of its batch.
        ArgumentError: a region does not fit its array.
        OSError: a file cannot be read (see `on_error` of the pipeline).
    """

    name = "readers.numpy"
    aliases = ("numpy_reader",)
    devices = ("cpu", "gpu")
    on_gpu = GpuRules(copies_results=True)

    files = FILES
    file_list = FILE_LIST
    file_root = FILE_ROOT
    file_filter = param(STR, "*.npy", "Pattern of their names, with `file_root` alone.")
    member_filter = param(
        STR,
        "*.npy",
        "Pattern of the names (without folders) of members in archives. `numpy.savez` stores the "
        "array `image` as 'image.npy'.",
    )
    sample_axis = param(
        INT,
        None,
        "Axis of the arrays whose indices are the samples. A sample's shape, and its region, are "
        "without that axis. All headers are read when the pipeline starts.",
    )
    roi = param(
        ANY,
        None,
        "Region as an index: a slice, an integer (which drops the axis), a tuple of them with at "
        "most one Ellipsis, or such an index as a text, '[8:24, :, 128:384]'. Steps must be "
        "positive. Excludes the other arguments of a region; `out_of_bounds_policy` decides about "
        "slices that reach out of the array, where 'trim_to_shape' does what NumPy does.",
    )
    roi_start = param(INTS, None, "First element of the region.", per_sample=True)
    roi_end = param(INTS, None, "The element after its last.", per_sample=True)
    roi_shape = param(INTS, None, "Its number of elements.", per_sample=True)
    rel_roi_start = param(FLOATS, None, "Start, in fractions of the extent.", per_sample=True)
    rel_roi_end = param(FLOATS, None, "End, in fractions of the extent.", per_sample=True)
    rel_roi_shape = param(FLOATS, None, "Shape, in fractions of the extent.", per_sample=True)
    roi_axes = param(
        INTS, (), "The axes that these values are for, in their order; by default all axes."
    )
    out_of_bounds_policy = param(
        STR,
        "error",
        'What to do if the region reaches out of the array: "error" raises; "pad" fills with '
        '`fill_value`; "trim_to_shape" takes what there is.',
        choices=POLICIES,
    )
    fill_value = param(ANY_FLOAT, 0.0, 'Number that "pad" fills with.')
    cache_header_information = param(
        BOOL, False, "Remember each file's header, for as long as size and time of the file stay."
    )
    use_o_direct = param(
        BOOL,
        False,
        "Read local files past the system's cache, where their file system allows it: for data "
        "that do not fit into memory and are read once.",
    )
    register_buffers = param(BOOL, True, NO_EFFECT)

    limits: ClassVar = AheadLimits()
    source: NumpySource
    _path_to_gpu = ""

    def prepare(self) -> None:
        super().prepare()
        owner = f"fn.{self.name}"
        check_exclusive(owner, self.given, "roi_start", "rel_roi_start")
        check_exclusive(owner, self.given, "roi_end", "rel_roi_end", "roi_shape", "rel_roi_shape")
        for name in (*NAMES, "roi_axes"):
            check_exclusive(owner, self.given, "roi", name)
        if len(set(self.roi_axes)) != len(self.roi_axes):
            raise ArgumentError(f"{owner}: roi_axes names an axis twice: {self.roi_axes}")
        if any(not -MAX_DIMENSIONS <= axis < MAX_DIMENSIONS for axis in self.roi_axes):
            raise ArgumentError(
                f"{owner}: roi_axes is {self.roi_axes}, but arrays have at most {MAX_DIMENSIONS} "
                "axes"
            )
        try:
            key = None if self.roi is None else parse_key(self.roi)
        except ValueError as error:
            raise ArgumentError(f"{owner}: roi is {self.roi!r}: {error}") from None
        values = {_short(name): getattr(self, name, None) for name in NAMES}
        self._region = RegionOfInterest(values, self.roi_axes, key, self.out_of_bounds_policy)

    def open_source(self) -> NumpySource:
        arrays = list_arrays(
            self.listed_files(), self.member_filter, self.storage_options, self.damages
        )
        return NumpySource(
            arrays,
            self._region,
            sample_axis=self.sample_axis,
            fill_value=self.fill_value,
            keep_headers=self.cache_header_information,
            o_direct=self.use_o_direct,
            threads=max(2, self.placement.threads),
            options=self.storage_options,
            damages=self.damages,
        )

    def carrier(self, resources: Resources) -> Carrier:
        if resources.arena is not None:
            threads = copying_threads(max(2, self.placement.threads))
            mapped = MappedCopies(ReadingProcess(resources.arena, threads))
            self.source.use_maps(mapped)
            self.waits.ends(mapped.close)
        if resources.device is not None and self.device == "gpu":
            if self._blocks is None:
                direct, self._path_to_gpu = direct_reads(self.source, resources.device)
                if direct is not None:
                    return direct
            else:
                why = "blocks of samples (shuffle_block) are kept there"
                self._path_to_gpu = f"{THROUGH_HOST}: {why}"
        if self.per_sample:  # regions are known with the batch only
            return ArrayReads(self.source)
        return super().carrier(resources)

    def most_together(self, batch_size: int) -> int:
        return 1  # batches with regions of their own, ahead or on the GPU are read one by one

    def wants_shared_memory(self, *, uses_gpu: bool) -> bool:
        known = not self.per_sample
        return self._blocks is None and self.source.worth_mapping(known=known)

    def remark(self) -> str:
        path = super().remark() or self._path_to_gpu
        return "; ".join(filter(None, (path, self.source.path_used)))

    def remedies(self) -> Remedies:
        regions = "regions instead of whole arrays (roi_start, roi_shape)"
        return {**super().remedies(), "bus": (regions,)}

    def batch(self, batch: BatchContext, **arguments: Any) -> Any:
        selection = batch.selections[self.placement.ordinal]
        for name in self.per_sample:
            selection.arguments[_short(name)] = self._values(name, arguments[name])
        arrays = Later(partial(self._finish, batch))
        elsewhere = bool(self.per_sample) and self.window.start(batch, selection)
        return arrays if elsewhere else arrays.result()

    def _finish(self, batch: BatchContext) -> tuple[TensorList, ...]:
        """Return the arrays of a batch, and what `Reader.batch` adds."""
        arrays, *bound = super().batch(batch)
        may_read_ahead = self.window.carrier.grouped and self.placement.threads > 2
        if may_read_ahead and isinstance(arrays, TensorListCPU):
            dense = arrays.is_dense_tensor()
            nbytes = nbytes_of(arrays.dense() if dense else arrays.rows())
            if depth := ahead(nbytes, self.limits):  # from the first large batch on
                self.window.use(Threads(self.source, depth, self.waits))
                large = Decision(f"{depth} batches ahead", f"a batch has {nbytes / 1e6:.1f} MB")
                self.window.decisions["reads"] = large
        return (arrays, *bound)

    def _values(self, name: str, value: TensorList) -> Array:
        """Return the argument of all samples: (samples, values)."""
        if value.is_dense_tensor():
            dense = value.dense()
            table = dense.reshape(len(dense), prod(dense.shape[1:]))
        else:
            rows = [np.asarray(row).reshape(-1) for row in value.rows()]
            sizes = {row.size for row in rows}
            if len(sizes) != 1:
                self.refuse(
                    f"the samples have {sorted(sizes)} values for {name!r}; they must have as many "
                    "each"
                )
            table = np.stack(rows)
        if not name.startswith("roi"):
            return np.asarray(table, np.float64)
        if table.dtype.kind == "f" and (table != np.trunc(table)).any():
            self.refuse(f"{name!r} holds numbers that are not whole")
        return np.asarray(table, np.int64)

    def read_sample(self, selection: Selection, row: int) -> tuple[Array, ...]:
        sample = selection.cut(slice(row, row + 1))
        with self.waits:
            (column,) = self.source.read(sample.index, np.empty, sample.arguments)
        return (column[0],)


class ArrayReads(Carrier):
    """Reads arrays in the thread that asks; a process copies them out of maps, if it can."""

    def __init__(self, source: NumpySource) -> None:
        """Set the arrays that are read."""
        self._source = source

    def start(self, selection: Selection, memory: CountedMemory) -> Pending[ReadColumns]:
        return self._source.start(selection.index, memory.empty, selection.arguments)


def _short(name: str) -> str:
    """Return the name that `fn.slice` has for an argument of a region."""
    return name.replace("roi_", "")
