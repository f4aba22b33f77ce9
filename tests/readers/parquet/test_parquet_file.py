"""Damaged files."""

import numpy as np
import pytest

from penstock import ArgumentError, DecodeError, SourceError
from penstock.readers.parquet import parquet_file

from .tables import opened, table, write, write_stream

pa = pytest.importorskip("pyarrow")


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_every_damage_is_named_or_harmless(tmp_path, kind):
    """Cut files and flipped bits give errors of the file, or samples."""
    rows = table().select(["image", "label", "boxes"]).slice(0, 9)
    save = write if kind == "parquet" else write_stream
    path = tmp_path / f"a.{kind}"
    content = bytearray((tmp_path / save(path, rows)).read_bytes())
    random = np.random.default_rng(7)
    messages = []
    for number in range(150):
        changed = bytearray(content)
        if number % 5 == 0:
            del changed[int(random.integers(len(content))) :]
        else:
            place = -int(random.integers(1, len(content) if number % 2 else 1500))
            changed[place] ^= 1 << int(random.integers(8))
        path.write_bytes(changed)
        try:
            source = opened(path, "image", "label", "boxes")
            if len(source) < 1000:
                source.read(np.arange(len(source)), np.empty)
        except (SourceError, DecodeError, ArgumentError) as error:
            messages.append(str(error))
    assert len(messages) > 30
    assert all(str(path) in message for message in messages)


def test_a_file_that_shrinks_while_open_raises(tmp_path):
    path = tmp_path / "a.parquet"
    source = opened(write(path, table()), "image")
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises((SourceError, OSError), match=r"a\.parquet"):
        source.read(np.arange(3), np.empty)


def test_rows_are_decoded_by_their_bytes(tmp_path, tuned, monkeypatch):
    rows = pa.table({"image": [bytes([number]) * 10_000 for number in range(100)]})
    source = opened(write(tmp_path / "a.parquet", rows, use_dictionary=False), "image")
    counts = []
    plain = pa.parquet.ParquetFile.iter_batches

    def counted(self, batch_size, *args, **options):
        counts.append(batch_size)
        return plain(self, batch_size, *args, **options)

    monkeypatch.setattr(pa.parquet.ParquetFile, "iter_batches", counted)
    tuned(parquet_file, BYTES_AT_ONCE=100_000)
    (images,) = source.read(np.arange(100), np.empty)
    assert [bytes(image[:1]) for image in images] == [bytes([number]) for number in range(100)]
    assert counts[0] in (9, 10)


def shared_value(path, rows, size):
    """Write a row group whose rows share a value: a kilobyte of file, and a plain column."""
    indices = pa.array(np.zeros(rows, np.int32))
    column = pa.DictionaryArray.from_arrays(indices, pa.array([bytes(size)], pa.binary()))
    return write(path, pa.table({"image": column}), store_schema=False, compression="zstd")


def test_a_group_that_expands_is_refused_before_memory_is_taken(tmp_path, tuned):
    path = shared_value(tmp_path / "a.parquet", 20_000, 1_000_000)
    assert (tmp_path / "a.parquet").stat().st_size < 10_000
    tuned(parquet_file, LARGEST_BLOCK=64_000_000, MOST_BYTES_AT_ONCE=16_000_000)
    before = pa.default_memory_pool().bytes_allocated()
    peaks = []
    plain = pa.parquet.ParquetFile.iter_batches

    def watched(self, *args, **options):
        for batch in plain(self, *args, **options):
            peaks.append(pa.default_memory_pool().bytes_allocated() - before)
            yield batch

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pa.parquet.ParquetFile, "iter_batches", watched)
        with pytest.raises(
            SourceError, match=r"row group 0 takes more than 64000000 bytes.* and 1000\d\d\d in the"
        ):
            opened(path, "image").read(np.arange(1), np.empty)
    assert max(peaks) < 2 * 64_000_000


def test_parts_that_are_decoded_one_by_one_are_joined(tmp_path, tuned):
    path = shared_value(tmp_path / "a.parquet", 3000, 10_000)
    tuned(parquet_file, MOST_BYTES_AT_ONCE=70_000)
    source = opened(path, "image")
    ((_, group, _, _),) = source.blocks.groups(np.arange(1))
    assert len(group) == 3000
    assert len(group._batches) == 3
    (images,) = source.read(np.array([2999, 0]), np.empty)
    assert [len(image) for image in images] == [10_000, 10_000]


def test_rows_that_arrow_cannot_decode_at_once_are_decoded_in_parts(tmp_path, tuned, monkeypatch):
    """Of structs beyond 2 GiB, of which a file may tell little: rows share values."""
    rows = pa.table({"image": [b"same" * 1000] * 100})
    source = opened(write(tmp_path / "a.parquet", rows), "image")
    counts = []
    plain = pa.parquet.ParquetFile.iter_batches

    def limited(self, batch_size, *args, **options):
        counts.append(batch_size)
        if batch_size > 10:
            raise pa.ArrowNotImplementedError("Nested data conversions not implemented")
        return plain(self, batch_size, *args, **options)

    monkeypatch.setattr(pa.parquet.ParquetFile, "iter_batches", limited)
    tuned(parquet_file, BYTES_AT_ONCE=10_000)
    (images,) = source.read(np.arange(100), np.empty)
    assert len(images) == 100
    assert counts[0] > 10 > counts[1]
