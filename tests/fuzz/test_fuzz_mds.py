"""Damage to MDS data sets: each byte that is read is checked before memory is taken."""

import json
import random

import numpy as np
import pytest

from penstock.engine.errors import PenstockError
from penstock.readers.mds.source import open_mds
from penstock.readers.storage.damage import Damages

from ..readers.mds import sets
from .damage import damaged

NUMBERS = (0, 1, 3, 4, 8, 17, 0x7F, 0x80, 0xFF)
COLUMNS = {
    "scalars": ["text", "many", "real", "uint64", "raw"],
    "arrays": ["fixed", "typed", "free", "long"],
    "images": ["jpeg", "pil"],
    "lists": ["pngs[0]", "pils[1]", "array[0]"],
    "shards": ["text", "n", "x"],
    "gz": ["text", "n", "x"],
    "bz2:1": ["text", "n", "x"],
}
MOST = 64 << 20


def allocate(shape, dtype):
    """Return memory for a batch, and fail for a claim that was not checked."""
    assert np.prod(shape, dtype=float) * np.dtype(dtype).itemsize < MOST
    return np.empty(shape, dtype)


def check(content, columns, root):
    """Read all samples, one by one and together: only errors of Penstock may come."""
    path = sets.put(content, root)
    damages = Damages(leaves_out=True)
    try:
        source = open_mds([path], columns, cache_bytes=1 << 20, damages=damages)
    except (OSError, PenstockError):  # the index may name another file
        return 0
    if not damages:
        open_mds([path], columns, cache_bytes=1 << 20)
    sound, named = [], []
    for index in range(min(len(source), 20)):
        try:
            assert len(source.read(np.array([index]), allocate)) == len(columns)
            sound.append(index)
        except PenstockError as error:
            named.append(str(root) in str(error))
    assert all(named)
    if sound:
        source.read(np.array(sound), allocate)
    for name in columns:
        try:
            source.known_lengths(name)
            source.known_column(name)
        except PenstockError:
            pass
    return len(sound)


def kept_sizes(content):
    """Return a set whose index tells the sizes that its files have: damage lies inside of them."""
    index = json.loads(content["index.json"])
    for entry in index["shards"]:
        for told in (entry["zip_data"], entry["raw_data"]):
            if told and told["basename"] in content:
                told["hashes"] = {}
                told["bytes"] = len(content[told["basename"]])
    return content | {"index.json": json.dumps(index).encode()}


@pytest.mark.parametrize("name", COLUMNS)
def test_damaged_shards(name, tmp_path):
    chance, sound = random.Random(name), 0
    content = sets.files_of(name)
    shards = [path for path in content if path != "index.json"]
    for turn in range(60):
        path = chance.choice(shards)
        bad = content | {path: damaged(content[path], chance, NUMBERS)}
        sound += check(kept_sizes(bad), COLUMNS[name], tmp_path / str(turn))
    assert sound > 0


@pytest.mark.parametrize("name", ["arrays", "gz"])
def test_damaged_indexes(name, tmp_path):
    chance = random.Random(name)
    content = sets.files_of(name)
    for turn in range(150):
        bad = content | {"index.json": damaged(content["index.json"], chance, b'{}[]",:0129-n')}
        check(bad, COLUMNS[name], tmp_path / str(turn))


@pytest.mark.parametrize("value", [0, 1, 23, 24, 25, 2**16, 2**31 - 1, 2**31, 2**32 - 1])
def test_each_number_of_a_table_and_each_size(value, tmp_path):
    content = sets.files_of("arrays")
    shard = content["shard.00000.mds"]
    begin = int(np.frombuffer(shard, "<u4", 1, 4)[0])
    for place in (0, 4, 8, 12, 16, begin, begin + 4, begin + 8):
        changed = shard[:place] + np.uint32(value).tobytes() + shard[place + 4 :]
        check(content | {"shard.00000.mds": changed}, COLUMNS["arrays"], tmp_path / str(place))


def test_a_shard_that_is_cut_anywhere(tmp_path):
    content = sets.files_of("shards")
    shard = content["shard.00000.mds"]
    for size in range(0, len(shard), 11):
        bad = content | {"shard.00000.mds": shard[:size]}
        check(kept_sizes(bad), COLUMNS["shards"], tmp_path / str(size))
