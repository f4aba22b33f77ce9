"""Arrays that are stored in `.npy` format: `fn.readers.numpy`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ...engine.batch import Batch
from ...engine.errors import ArgumentError, DecodeError
from ...engine.layouts import check_exclusive
from ...engine.operator import Array, register
from ...engine.packed_rows import Find
from ...engine.params import ANY, BOOL, FLOAT, FLOATS, INT, INTS, NO_EFFECT, STR, STRS, param
from ...engine.sampler import Draw
from ...engine.tensors import TensorList, TensorListGPU
from ..process.reading_process import ReadingProcess
from ..read_ahead import ReadAhead
from ..reader import Reader, nbytes_of
from ..source import Column
from .arrays import find_arrays
from .gds import THROUGH_HOST, DirectReads, direct_reads
from .mapped_copies import MappedCopies, copying_threads
from .roi import NAMES, POLICIES, Roi, parse_key
from .source import NumpySource

if TYPE_CHECKING:
    from ...engine.device_stage import DeviceStage
    from ...engine.memory import Arena

_WORTH_READING_AHEAD = 16 << 20
"""Bytes of a batch: while threads copy so much, one finds out where the next batch lies."""

_Form = tuple[np.dtype[Any], int]
"""Type and number of dimensions of a sample."""


@dataclass(frozen=True, eq=False)
class _RoiDraw(Draw):
    """Which samples a batch takes, and what it takes of each."""

    values: dict[str, Array] = field(default_factory=dict)
    forms: list[_Form] = field(default_factory=list)
    """What the batch's samples must be, once they are read."""
    direct: list[DirectReads] = field(default_factory=list)
    """What read them, if they are on the GPU already."""


@register
class Numpy(Reader):
    """Reads arrays from `.npy` files, whole or a region of interest of each.

    Only the bytes that a region needs are read. Its arguments mean what those of `fn.slice`
    mean, along `roi_axes`; `roi` is written as an index of NumPy. Versions 1 to 3 of the format,
    both orders of dimensions and both byte orders are read. Files may be of different shapes; all
    samples of a batch must have one type and number of dimensions.

    Archives (`.npz`, `.zip`, `.tar`) hold several arrays; each member that matches
    `member_filter` is one. Stored members are read in place, deflated ones are inflated whole,
    whatever the region. With `sample_axis` an array holds several samples.

    Regions of local files that lie in memory are copied out of maps of them, where that is faster:
    by a process of the reader's own, because a mapped file that is cut short ends the process. It
    is started after a second of such work; `Pipeline.stats` says how much it copied.

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

    Differences from DALI: the samples' origins are absolute paths; lines of `file_list` may end
    in CR LF; a link to a folder is a folder.

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
    copied = True

    files = param(STRS, None, "Paths of the files, relative to `file_root` if that is given.")
    file_list = param(
        STR,
        None,
        "Text file with a path on each line, relative to `file_root` or, without it, to the list.",
    )
    file_root = param(
        STR, None, "Folder whose files, and those of the folders right inside it, are read."
    )
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
    )
    fill_value = param(FLOAT, 0.0, 'Number that "pad" fills with.')
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

    source: NumpySource
    _direct: DirectReads | None = None
    _way = ""  # from the files to the GPU

    def prepare(self) -> None:
        super().prepare()
        owner = f"fn.{self.name}"
        check_exclusive(owner, self.given, "roi_start", "rel_roi_start")
        check_exclusive(owner, self.given, "roi_end", "rel_roi_end", "roi_shape", "rel_roi_shape")
        for name in (*NAMES, "roi_axes"):
            check_exclusive(owner, self.given, "roi", name)
        if self.out_of_bounds_policy not in POLICIES:
            raise ArgumentError(
                f"{owner}: out_of_bounds_policy is {self.out_of_bounds_policy!r}; use one of "
                f"{', '.join(map(repr, POLICIES))}"
            )
        if len(set(self.roi_axes)) != len(self.roi_axes):
            raise ArgumentError(f"{owner}: roi_axes names an axis twice: {self.roi_axes}")
        try:
            key = None if self.roi is None else parse_key(self.roi)
        except ValueError as error:
            raise ArgumentError(f"{owner}: roi is {self.roi!r}: {error}") from None
        values = {_short(name): getattr(self, name, None) for name in NAMES}
        self._region = Roi(values, self.roi_axes, key, self.out_of_bounds_policy)

    def open_source(self) -> NumpySource:
        arrays = find_arrays(
            files=self.files,
            file_list=self.file_list,
            file_root=self.file_root,
            file_filter=self.file_filter,
            member_filter=self.member_filter,
            options=self.storage_options,
        )
        return NumpySource(
            arrays,
            self._region,
            sample_axis=self.sample_axis,
            fill_value=self.fill_value,
            keep_headers=self.cache_header_information,
            o_direct=self.use_o_direct,
            threads=max(2, self.threads),
            options=self.storage_options,
        )

    def shares_memory(self, *, uses_gpu: bool) -> bool:
        known = not self.per_sample
        return self._blocks is None and self.source.worth_mapping(known=known)

    def share(self, arena: Arena, find: Mapping[str, Find]) -> None:
        process = ReadingProcess(arena, copying_threads(max(2, self.threads)))
        self.source.use_maps(MappedCopies(process))

    def attach(self, stage: DeviceStage) -> None:
        if self._blocks is None:
            self._direct, self._way = direct_reads(stage, self.source.plain_file())
        else:
            self._way = f"{THROUGH_HOST}: blocks of samples (shuffle_block) are kept there"

    def interrupt(self) -> None:
        super().interrupt()
        self.source.interrupt()

    def close(self) -> None:
        super().close()
        if self._direct is not None:
            self._direct.close()

    def draw(self, number: int) -> Draw:
        drawn = super().draw(number)
        return _RoiDraw(drawn.index, drawn.epoch, drawn.position, drawn.valid)

    def batch(self, batch: Batch, **arguments: Any) -> tuple[TensorList, ...]:
        draw = batch.draws[self.ordinal]
        assert isinstance(draw, _RoiDraw)
        for name in self.per_sample:
            draw.values[_short(name)] = self._values(name, arguments[name])
        (found,) = super().batch(batch)
        self.note = "; ".join(filter(None, (self._way, self.source.note)))
        self._check_forms(batch, draw, found)
        return (found,)

    def _values(self, name: str, value: TensorList) -> Array:
        """Return the argument of all samples: (samples, values)."""
        rows = [np.asarray(row) for row in value.rows()]
        sizes = {row.size for row in rows}
        if len(sizes) != 1:
            raise ArgumentError(
                f"fn.{self.name}: the samples have {sorted(sizes)} values for {name!r}; they must "
                "have as many each"
            )
        if name.startswith("roi") and any(row.dtype.kind == "f" for row in rows):
            whole = [np.array_equal(row, np.trunc(row)) for row in rows]
            if not all(whole):
                raise ArgumentError(f"fn.{self.name}: {name!r} holds numbers that are not whole")
        dtype = np.int64 if name.startswith("roi") else np.float64
        return np.stack([row.reshape(-1).astype(dtype) for row in rows])

    def _take(self, batch: Batch) -> tuple[Column | TensorListGPU, ...]:
        draw = batch.draws[self.ordinal]
        assert isinstance(draw, _RoiDraw)
        if not self.per_sample and self._direct is None:
            return self._host_columns(batch)
        with self._interrupt:
            if self._direct is None:
                return self.source.read(draw.index, batch.empty, draw.values)
            found = self.source.read_direct(draw.index, batch.empty, draw.values, self._direct)
        self._way = self._direct.note
        if isinstance(found, TensorListGPU):
            draw.direct.append(self._direct)
            batch.taken_device_bytes += found.dense().nbytes
        return (found,)

    def _host_columns(self, batch: Batch) -> tuple[Column, ...]:
        """Return the batch; if it is large, let the next ones be read while one is handed out."""
        found = super()._host_columns(batch)
        chosen = self._ahead is not None or self._blocks or self.prefetch_queue_depth is not None
        if not chosen and self.threads > 2 and sum(map(nbytes_of, found)) >= _WORTH_READING_AHEAD:
            self._ahead = ReadAhead(self._read_batch, 1)
            self._groups.forget()
        return found

    def spare(self, draw: Draw, row: int, attempt: int) -> tuple[Array, ...] | None:
        found = super().spare(draw, row, attempt)
        assert isinstance(draw, _RoiDraw)
        if found is None or not draw.direct:
            return found
        return tuple(map(draw.direct[0].uploaded, found))  # another reader's sample is bad

    def _read_one(self, draw: Draw, row: int) -> tuple[Array, ...]:
        assert isinstance(draw, _RoiDraw)
        rows = slice(row, row + 1)
        values = {name: value[rows] for name, value in draw.values.items()}
        with self._interrupt:
            (column,) = self.source.read(draw.index[rows], np.empty, values)
        if draw.forms and _form(column[0]) != draw.forms[0]:
            raise self._other_form(draw, row, _form(column[0]))
        return (column[0],)

    def _check_forms(self, batch: Batch, draw: _RoiDraw, found: TensorList) -> None:
        """Note as bad the samples that differ in type or dimensions from most of the batch."""
        rows = [row for row in range(len(found)) if row not in batch.errors]
        if found.is_dense_tensor():
            del rows[1:]  # which says all
        good = {row: _form(found.row(row)) for row in rows}
        if not good:
            return
        ((form, _),) = Counter(good.values()).most_common(1)  # of several, the first one
        draw.forms.append(form)
        for row, own in good.items():
            if own != form:
                batch.errors[row] = self._other_form(draw, row, own)

    def _other_form(self, draw: _RoiDraw, row: int, own: _Form) -> DecodeError:
        (dtype, ndim), (others, dimensions) = own, draw.forms[0]
        return DecodeError(
            f"{self.source.where(int(draw.index[row]))}: the sample has {ndim} dimensions and the "
            f"type {dtype}, where most of its batch have {dimensions} and {others}; the samples of "
            "a batch must agree in both"
        )

    def placeholder(self) -> tuple[Array, ...]:
        return (np.empty(0, np.uint8),)


def _form(array: Array) -> _Form:
    return array.dtype, array.ndim


def _short(name: str) -> str:
    """Return the name that `fn.slice` has for an argument of a region."""
    return name.replace("roi_", "")
