"""Sources one after the other, and packed samples, under the suite of all sources."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.engine.order.packs import Packs
from penstock.readers.files.source import FileSource
from penstock.readers.listing.listing import list_files
from penstock.readers.mixture.source import MixedSource
from penstock.testing.readers import SourceConformance


def files_in(folder, contents):
    folder.mkdir()
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return FileSource(list_files(files=sorted(str(path) for path in folder.iterdir())))


class TestMixedSource(SourceConformance):
    @pytest.fixture
    def contents(self):
        first = {f"{i}.bin": bytes([i]) * (i + 1) for i in range(4)}
        return [first, {"a.bin": b"a" * 300_000, "b.bin": b"b", "c.bin": b""}]

    @pytest.fixture
    def source(self, tmp_path, contents):
        sources = [files_in(tmp_path / str(i), own) for i, own in enumerate(contents)]
        return MixedSource(sources, [(0,), (0,)])

    @pytest.fixture
    def expected(self, contents):
        return [(np.frombuffer(own[name], np.uint8),) for own in contents for name in sorted(own)]


def test_files_of_several_sources_are_read_in_one_call(tmp_path):
    calls = []

    class Counted(FileSource):
        @classmethod
        def read_joined(cls, parts, count, allocate):
            calls.append([len(rows) for _, rows, _ in parts])
            return super().read_joined(parts, count, allocate)

        def read(self, indices, allocate):
            calls.append(len(indices))
            return super().read(indices, allocate)

    sources = []
    for number in range(3):
        (tmp_path / str(number)).mkdir()
        files = [tmp_path / str(number) / str(i) for i in range(4)]
        for i, file in enumerate(files):
            file.write_bytes(bytes([10 * number + i]) * (i + 1))
        names = [str(file) for file in files]
        sources.append(
            Counted(list_files(files=names, labels=[100 * number + i for i in range(4)]))
        )
    mixed = MixedSource(sources, [(), (), ()])
    contents, labels = mixed.read(np.array([9, 0, 3, 10, 1]), np.empty)
    assert [row.tolist() for row in contents] == [[21] * 2, [0], [3] * 4, [22] * 3, [1] * 2]
    assert labels.tolist() == [[201], [0], [3], [202], [1]]
    assert calls == [[3, 2]]
    assert [figures[:2] for figures in mixed.figures] == [[3, 7], [0, 0], [2, 5]]
    mixed.read(np.array([4, 5]), np.empty)  # of one source
    assert calls == [[3, 2], 2]
    (tmp_path / "2" / "1").unlink()
    with pytest.raises(FileNotFoundError, match="2/1"):
        mixed.read(np.array([0, 9]), np.empty)


class TestPackedSource(SourceConformance):
    ROWS = ((3,), (2, 4), (0, 1))  # the samples of each row
    LENGTHS = (4, 1, 3, 2, 2)

    @pytest.fixture
    def source(self, tmp_path):
        files = [str(tmp_path / f"{number}.npy") for number in range(5)]
        for number, (file, length) in enumerate(zip(files, self.LENGTHS, strict=True)):
            np.save(file, np.full(length, number, np.int16))
        with Pipeline(1, 1):
            outputs = fn.readers.pack(fn.readers.numpy(files=files), length=5)
        reader = outputs[0].node.operator
        reader.open_data()
        return reader.source

    @pytest.fixture
    def expected(self):
        return [self._row(samples) for samples in self.ROWS]

    def _row(self, samples):
        lengths = [self.LENGTHS[number] for number in samples]
        rest = 5 - sum(lengths)
        return (
            np.array([*np.repeat(samples, lengths), *[0] * rest], np.int16),
            np.cumsum([0, *lengths]).astype(np.int32),
            np.array([*chain(*map(range, lengths)), *[0] * rest], np.int32),
            np.array(samples),
        )


def test_rows_that_are_shuffled_have_an_index_in_each_epoch():
    packs = Packs(np.array([4, 1, 3, 2, 2]), 5, shuffle=True)
    assert packs.rows == 3 << 32
    assert packs.at(2, np.array([1])).tolist() == [7]
