"""Records behind damage are found again, in files of TFRecord and RecordIO."""

from __future__ import annotations

import random
import struct

import numpy as np
import pytest

from penstock.engine.errors import SourceError
from penstock.readers.recordio.extents import scanned_extents
from penstock.readers.storage import rescue
from penstock.readers.storage.damage import Damages
from penstock.readers.storage.opening import open_storage
from penstock.readers.tfrecord.index import find_frames

from ..record_io import MAGIC, record
from ..tfrecord_files import frame

pytestmark = pytest.mark.usefixtures("user_cache")

COUNT = 40


def tfrecords(storage, damages):
    return find_frames(storage, verify_data=False, damages=damages)


FORMS = {"tfrecord": (frame, tfrecords, 0), "recordio": (record, scanned_extents, 4)}
"""What frames a record, what finds frames, and the offset of the length in a frame."""


@pytest.fixture(params=FORMS)
def form(request):
    return FORMS[request.param]


def contents():
    chance = random.Random(3)
    return [chance.randbytes(chance.choice([0, 5, 300, 9000])) for _ in range(COUNT)]


def found(path, find):
    """Return the extents that are found although there is damage, and the damage."""
    damages = Damages(leaves_out=True)
    offsets, lengths = find(open_storage(path), damages)
    return list(zip(offsets.tolist(), lengths.tolist(), strict=True)), damages.found


def written(path, frames):
    path.write_bytes(b"".join(frames))
    starts = np.cumsum([0, *map(len, frames)])[:-1].tolist()
    return list(zip(starts, map(len, frames), strict=True))


@pytest.mark.parametrize("rows", [(7,), (0,), (COUNT - 1,), (3, 4, 5, 30)])
def test_all_other_records_are_found(tmp_path, form, rows):
    encode, find, length_at = form
    frames = [encode(content) for content in contents()]
    for row in rows:
        changed = bytearray(frames[row])
        changed[length_at + 1] ^= 0x5A  # longer or shorter by thousands
        changed[0] ^= length_at  # the magic of RecordIO, too
        frames[row] = bytes(changed)
    extents = written(tmp_path / "a", frames)
    sound = [extent for row, extent in enumerate(extents) if row not in rows]
    for _ in range(2):  # the second time from the index that was kept
        got, (damage,) = found(tmp_path / "a", find)
        assert got == sound
        assert damage.offset == extents[rows[0]][0]
        behind = COUNT - 1 - rows[0] - (len(rows) - 1)
        assert (f"{behind} records are found again" in damage.reason) == bool(behind)
    with pytest.raises(SourceError, match=str(extents[rows[0]][0])):
        find(open_storage(tmp_path / "a"), Damages())


def test_bytes_that_are_missing_or_too_many(tmp_path, form):
    encode, find, _ = form
    frames = [encode(content) for content in contents()]
    frames[9] = frames[9] + bytes(range(1, 5)) * 50
    if len(frames[20]) > 100:
        frames[20] = frames[20][:-100]
    extents = written(tmp_path / "a", frames)
    got, _ = found(tmp_path / "a", find)
    assert {extent for row, extent in enumerate(extents) if row not in (9, 20)} <= set(got)


def test_a_length_that_swallows_the_next_records(tmp_path):
    frames = [record(content) for content in [b"a" * 40] * 9]
    frames[2] = MAGIC + struct.pack("<I", 40 + 48 + 4) + frames[2][8:]  # ends inside of record 4
    extents = written(tmp_path / "a", frames)
    got, (damage,) = found(tmp_path / "a", scanned_extents)
    assert got == [extent for row, extent in enumerate(extents) if row != 2]
    assert "record 2, offset 96: the length reaches beyond the next record" in damage.reason


def test_a_record_in_parts_is_whole_or_left_out(tmp_path):
    frames = [record(b"12345678" + MAGIC * (row % 3) + b"end.") for row in range(9)]
    assert len(frames[2]) > len(frames[1]) > len(frames[0])
    frames[5] = bytes(4) + frames[5][4:]  # the first of three parts
    extents = written(tmp_path / "a", frames)
    got, _ = found(tmp_path / "a", scanned_extents)
    assert got == [extent for row, extent in enumerate(extents) if row != 5]


def test_random_damage_loses_no_record_that_is_whole(tmp_path, form):
    encode, find, _ = form
    chance = random.Random(5)
    frames = [encode(content) for content in contents()]
    whole = written(tmp_path / "whole", frames)
    content = (tmp_path / "whole").read_bytes()
    for number in range(60):
        changed = bytearray(content)
        places = [chance.randrange(len(content)) for _ in range(chance.choice([1, 2, 5]))]
        for place in places:
            changed[place] ^= 1 << chance.randrange(8)
        path = tmp_path / str(number)
        path.write_bytes(changed)
        got, _ = found(path, find)
        hit = {
            row
            for row, (start, length) in enumerate(whole)
            for place in places
            if start <= place < start + length
        }
        assert {extent for row, extent in enumerate(whole) if row not in hit} <= set(got)
        assert len(got) <= COUNT


def test_the_search_ends_after_many_places(tmp_path, form, monkeypatch):
    encode, find, _ = form
    frames = [part for _ in range(30) for part in (encode(b"1234"), b"rest")]
    extents = written(tmp_path / "a", frames)
    monkeypatch.setattr(rescue, "MOST_PLACES", 11)
    got, (damage,) = found(tmp_path / "a", find)
    assert got == extents[::2][:11]
    assert "10 records are found again, and none is sought behind 11 places" in damage.reason
