"""The arrays of a data set as samples; or their slices along one axis."""

from __future__ import annotations

import os
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Int64s
from ...engine.errors import ArgumentError, PenstockError, SourceError
from ...engine.machine import memory_of_machine
from ...engine.pending import Later, Pending, Then
from ...formats.npy import NpyHeader
from ..source import Allocate, Column, checked_indices
from ..storage.damage import STRICT, Damages
from ..storage.urls import is_url
from .array_list import ArrayList
from .expected_header import ExpectedCopies, ExpectedHeader, may_be_read_at_once
from .form_groups import BatchMemory, FormGroup, LocatedSamples, by_form, numbers_in
from .mapped_copies import MappedCopies, worth_copying
from .member_checksums import verify_members
from .opening import ArrayOpener
from .reads import carry_out
from .region import RegionOfInterest, Regions, Values
from .sample_regions import SampleRegions

MIN_MAPPED_BYTES = 2 << 20
"""Bytes of a file; smaller files are better read than mapped."""

MAX_INFLATED_FRACTION = 0.5
"""Fraction of the machine's memory that deflated members of a batch may fill."""


class NumpySource:
    """Arrays in `.npy` format; a sample is an array, or its slice at an index of one axis."""

    def __init__(
        self,
        arrays: ArrayList,
        region: RegionOfInterest | None = None,
        *,
        sample_axis: int | None = None,
        fill_value: float = 0.0,
        keep_headers: bool = False,
        o_direct: bool = False,
        threads: int = 2,
        options: Mapping[str, object] | None = None,
        damages: Damages = STRICT,
    ) -> None:
        """Take where the arrays are, and what to read of them.

        Args:
            arrays: at least one.
            region: region that is read of a sample.
            sample_axis: axis of the arrays whose indices are the samples; None takes each array
                for one. Reads all headers.
            fill_value: value of elements outside of the arrays.
            keep_headers: whether to remember headers, for as long as files do not change.
            o_direct: whether to read local files past the page cache.
            threads: threads that read local files at most.
            options: `Reader.storage_options`, for URLs.
            damages: takes what is wrong with headers, if all are read.
        """
        self._arrays = arrays
        self._fill = fill_value
        self._o_direct = o_direct
        self._threads = threads
        self._opener = ArrayOpener(arrays, options or {}, keep_headers or sample_axis is not None)
        self._expected: ExpectedHeader | None = None
        self._expected_region: tuple[ExpectedHeader, Regions | None] | None = None
        """The region of all samples of arrays with this header, if regions do not differ."""
        self._mapped: MappedCopies | None = None
        self.samples = SampleRegions(
            arrays, self._opener, region or RegionOfInterest(), sample_axis, damages
        )

    def __len__(self) -> int:
        return len(self.samples)

    def headers(self, numbers: Int64s) -> list[NpyHeader]:
        """Return the headers of arrays, without reading elements."""
        return self._opener.headers(numbers)

    @property
    def array_count(self) -> int:
        """The number of arrays, which may have several samples each."""
        return len(self._arrays)

    @property
    def inflates(self) -> bool:
        """Whether any array is deflated, so that reading a part of it inflates all of it."""
        members = self._arrays.members
        return members is not None and bool(members.table["deflated"].any())

    def plain_file(self) -> str | None:
        """Return the path of a local file; None if the first is none, or members are deflated."""
        if self.inflates:
            return None
        (path,) = self._arrays.paths(self._arrays.files_of(np.zeros(1, np.int64)))
        return None if is_url(path) else path

    def read(
        self, indices: NDArray[np.int64], allocate: Allocate, values: Values | None = None
    ) -> tuple[Column, ...]:
        """Return one column: see `start`."""
        return self.start(indices, allocate, values).result()

    def start(
        self, indices: NDArray[np.int64], allocate: Allocate, values: Values | None = None
    ) -> Pending[tuple[Column, ...]]:
        """Start to read one column: an array (samples, *shape), or one a sample if they differ.

        The process that copies out of maps begins at once, if it probably can. Complex numbers and
        dates come as `formats.npy` says.

        Args:
            indices, allocate: see `Source.read`.
            values: the region's arguments that differ by sample: see `RegionOfInterest.of_samples`.

        Raises:
            IndexError: an index is negative or not below `len(self)`. The result raises the others:
            OSError: a file cannot be read. SourceError if it is too short, or changed.
            DecodeError: a file is no `.npy` file, or its elements are no numbers.
            ArgumentError: the region does not fit a sample.
        """
        indices = checked_indices(indices, len(self))
        if not len(indices):
            return Later(lambda: ([],))
        expected = self._start_expected(indices, allocate, values or {})
        if expected is not None:
            return expected
        return Later(lambda: (self.read_located(self.locate(indices, values), allocate),))

    def _check_inflated(self, located: LocatedSamples) -> None:
        """Refuse a batch whose deflated members would fill the memory of this machine."""
        most = int(MAX_INFLATED_FRACTION * memory_of_machine())
        nbytes = located.inflated_nbytes()
        if nbytes > most:
            raise SourceError(
                f"{self._arrays.where(0)}{' ...' * (len(self._arrays) > 1)}: the deflated members "
                f"of one batch would take {nbytes} bytes; at most {most} are inflated, a fraction "
                "of this machine's memory: read regions, smaller batches or uncompressed files"
            )

    def locate(self, indices: Int64s, values: Values | None) -> LocatedSamples:
        """Open the arrays of samples, and return where the samples' regions lie: see `read`."""
        numbers, owners = np.unique(self.samples.arrays_of(indices), return_inverse=True)
        whole = self.samples.are_whole(values)
        arrays = self._opener.open(numbers, whole=whole)
        groups = []
        for header, rows in by_form(arrays, owners):
            own = {name: np.asarray(value)[rows] for name, value in (values or {}).items()}
            regions = self.samples.regions(header.shape, indices[rows], own)
            groups.append(FormGroup(header, rows, regions))
        return LocatedSamples(groups, arrays, owners, whole)

    def read_located(self, located: LocatedSamples, allocate: Allocate) -> Column:
        """Read samples that `locate` returned, into host memory."""
        self._check_inflated(located)
        groups = located.groups
        memory = BatchMemory(groups, len(located.owners), allocate)
        copied = carry_out(
            located.region_reads(memory, self._fill),
            allocate,
            threads=self._threads,
            o_direct=self._o_direct,
            mapped=self._mapped,
        )
        verify_members(located, memory, self._arrays.where, self._threads)
        local = located.arrays[0].storage.identity is not None
        if local and memory.dense is not None and len(groups) == 1 and self.samples.are_arrays:
            self._expect(located, copied)
        return memory.numbers()

    def _start_expected(
        self, indices: Int64s, allocate: Allocate, values: Values
    ) -> Pending[tuple[Column, ...]] | None:
        """Start to read samples as if all files had the expected header; None if none is."""
        expected = self._expected
        if expected is None:
            return None
        header, regions = expected.header, None
        shape = extents = list(header.shape)
        if not self.samples.are_whole(values):
            regions = self._expected_regions(expected, indices, values)
            if regions is None:
                return None
            extents = regions.shape[0].tolist()
            shape = [extents[axis] for axis in regions.kept]
        result = allocate((len(indices), *shape), header.native)
        memory = result.reshape(len(indices), *extents)
        read = expected.start(self._arrays.paths(indices), regions, memory)

        def finish(as_expected: bool) -> tuple[Column, ...]:
            if as_expected:
                return (numbers_in(result),)
            self._expected = None
            return (self.read_located(self.locate(indices, values), allocate),)

        return Then(read, finish)

    def _expected_regions(
        self, expected: ExpectedHeader, indices: Int64s, values: Values
    ) -> Regions | None:
        """Return the regions of samples, or one for all; None if no single calls read them."""
        if not values and self._expected_region is not None:
            header, region = self._expected_region
            if header is expected:
                return region
        try:
            indices = indices if values else indices[:1]
            regions = self.samples.regions(expected.header.shape, indices, values)
        except ArgumentError:
            return None  # if the file is as expected, the reading of its header raises this again
        readable = regions if expected.may_read(regions) else None
        if not values:
            self._expected_region = expected, readable
        return readable

    def _expect(self, located: LocatedSamples, copied: bool) -> None:
        """Expect other files to be like those of a batch, which may be `copied` out of maps."""
        header = located.arrays[-1].header
        if self._arrays.members is not None or self._o_direct:
            return
        if not header.dtype.isnative or (header.fortran_order and len(header.shape) > 1):
            return
        expected = self._expected
        if copied and self._mapped is not None:
            count = tuple(located.groups[0].regions.count[0].tolist())
            expected = ExpectedCopies(header.beginning, header, count, self._mapped)
        elif located.whole or self._mapped is None:
            small = header.nbytes <= MIN_MAPPED_BYTES
            if may_be_read_at_once(header.nbytes) if located.whole else small:
                expected = ExpectedHeader(header.beginning, header)
        if expected != self._expected:  # else `_expected_region` stays
            self._expected = expected

    def where(self, index: int) -> str:
        """Return the file, the member in it if it is an archive, and the index along the axis."""
        return self.samples.where(index)

    def source_info(self, index: int) -> str:
        """Return the same, with the file as it is named: relative to `file_root`."""
        return self.samples.source_info(index)

    def worth_mapping(self, *, known: bool) -> bool:
        """Return whether a process that maps files may be worth it: see `mapped_copies`.

        Args:
            known: whether the region is the same for all samples; else the files' size decides.
        """
        try:
            path = self.plain_file()
            if path is None or self._o_direct or os.path.getsize(path) < MIN_MAPPED_BYTES:
                return False
            if not known:
                return True
            located = self.locate(np.zeros(1, np.int64), None)
            memory = BatchMemory(located.groups, 1, np.empty)
            return all(map(worth_copying, located.region_reads(memory, self._fill)))
        except (OSError, PenstockError):  # the error is raised when samples are read
            return False

    def use_maps(self, mapped: MappedCopies) -> None:
        """Let a process copy regions out of mapped files; it is closed with this source."""
        self._mapped = mapped

    @property
    def path_used(self) -> str:
        """The bytes that were copied out of mapped files; "" if none."""
        return "" if self._mapped is None else self._mapped.path_used

    def __getstate__(self) -> dict[str, object]:
        # A copy has no part in the process.
        return self.__dict__ | {"_mapped": None, "_expected": None, "_expected_region": None}

    def close(self) -> None:
        """Release the files; a later `read` opens them again."""
        self._opener.close()
        if self._mapped is not None:
            self._mapped.close()
