"""The suite of sources finds what is wrong with a reader that meets damaged files."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.graph.nodes import add_node
from penstock.engine.graph.operator import OPERATORS
from penstock.extend import (
    REQUIRED,
    STRS,
    DamagedFileError,
    RecordFiles,
    RecordReader,
    SourceError,
    open_storages,
    param,
)
from penstock.testing.readers import HARMS, SourceConformance

SAMPLES = (b"one.", b"two.", b"five")


class QuadSource:
    """Samples of four bytes, behind a head of four."""

    def __init__(self, storages, tables):
        self._files = RecordFiles(storages, tables)

    def __len__(self):
        return len(self._files)

    def read(self, indices, allocate):
        return (self._files.read(indices, allocate).views(),)

    def where(self, index):
        return self._files.where(index)

    def close(self):
        self._files.close()


class Quads(RecordReader):
    """Reads quads, correctly."""

    name = "readers._quads"
    path = param(STRS, REQUIRED, "The files.")

    def table(self, storage):
        (head,) = storage.read(np.array([0]), np.array([4]), np.empty)
        if bytes(head) != b"QUAD":
            raise SourceError(f"{storage.name}: no quads")
        offsets = np.arange(4, storage.size - 3, 4)
        table = offsets, np.full(len(offsets), 4)
        if storage.size % 4:
            raise DamagedFileError(f"{storage.name}: cut off", 4 * len(offsets) + 4, table, lost=1)
        return table

    def open_source(self):
        opened = self.damages.open(self.path, self.storage_options)
        return QuadSource(*self.damages.each([*opened.values()], self.table))


class OpensAllFiles(Quads):
    """Ends the run if a file cannot be opened."""

    def open_source(self):
        storages = open_storages(self.path, self.storage_options)
        return QuadSource(*self.damages.each(storages, self.table))


class IndexesAllFiles(Quads):
    """Ends the run if a file is damaged."""

    def open_source(self):
        opened = [*self.damages.open(self.path, self.storage_options).values()]
        return QuadSource(opened, [*map(self.table, opened)])


class NamesNoFile(Quads):
    """Says that some file is cut off."""

    def table(self, storage):
        if storage.size % 4:
            raise SourceError("a file is cut off")
        return super().table(storage)


class StopsThere(Quads):
    """Reads no file behind a damaged one."""

    def open_source(self):
        opened = self.damages.open(self.path, self.storage_options)
        storages, tables = self.damages.each([*opened.values()], self.table)
        stop = 1 if self.damages else len(tables)
        return QuadSource(storages[:stop], tables[:stop])


class GivesRests(Quads):
    """Takes what is left of a sample for a sample."""

    def table(self, storage):
        offsets = np.arange(4, storage.size, 4)
        return offsets, np.minimum(4, storage.size - offsets)


class LeavesOutMore(Quads):
    """Leaves out cut files, though they are readable up to the cut."""

    def table(self, storage):
        try:
            return super().table(storage)
        except DamagedFileError as error:
            raise SourceError(str(error)) from None


@pytest.fixture
def files(tmp_path):
    path = tmp_path / "set" / "file.quads"
    path.parent.mkdir()
    path.write_bytes(b"QUAD" + b"".join(SAMPLES))
    return [path]


@pytest.fixture
def harmed(files, monkeypatch, tmp_path_factory):
    """Return a function that runs the suite's test of a reader for a damage."""
    expected = [(np.frombuffer(sample, np.uint8),) for sample in SAMPLES]

    def run(kind, harm):
        monkeypatch.setitem(OPERATORS, kind.name, kind)

        class Suite(SourceConformance):
            left = 2

            def read(self, paths):
                return add_node(kind, [], {"path": [*map(str, paths)]})

        Suite().test_a_damaged_file_costs_no_other_samples(files, expected, harm, tmp_path_factory)

    return run


@pytest.mark.parametrize("harm", HARMS)
def test_a_right_reader_passes(harmed, harm):
    harmed(Quads, harm)


@pytest.mark.parametrize(
    ("kind", "harm", "error"),
    [
        (OpensAllFiles, "absent", FileNotFoundError),
        (IndexesAllFiles, "foreign", SourceError),
        (IndexesAllFiles, "cut by a byte", SourceError),
        (NamesNoFile, "cut by a byte", AssertionError),
        (StopsThere, "cut by a byte", AssertionError),
        (GivesRests, "cut by a byte", AssertionError),
        (GivesRests, "foreign", AssertionError),
        (LeavesOutMore, "cut by a byte", AssertionError),
    ],
)
def test_defects_are_found(harmed, kind, harm, error):
    with pytest.raises(error):
        harmed(kind, harm)


def test_what_is_no_damage_is_left_out(files, tmp_path_factory):
    class Suite(SourceConformance):
        harms = ("absent",)

    with pytest.raises(pytest.skip.Exception, match="does no harm"):
        Suite().test_a_damaged_file_costs_no_other_samples(files, [], "foreign", tmp_path_factory)
