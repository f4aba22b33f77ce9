import json
import re
import sys

import numpy as np
import pytest

from penstock import fn
from penstock.engine.errors import ArgumentError, DecodeError, MissingDependencyError, SourceError
from penstock.formats.decompression import ZSTD
from penstock.readers.mds.source import open_mds
from penstock.readers.storage.damage import Damages
from penstock.testing.readers import SourceConformance, assert_columns

from . import sets

COLUMNS = ["text", "n", "x"]


def opened(path, columns=COLUMNS, **options):
    return open_mds([str(path)], columns, **{"cache_bytes": 1 << 20, **options})


def sample(told):
    return np.frombuffer(told["text"].encode(), np.uint8), np.array(told["n"]), told["x"]


def skip_without_zstd(name):
    if name.startswith("zstd"):
        pytest.importorskip(ZSTD)


@pytest.fixture(params=["shards", "merged", *sets.COMPRESSED])
def name(request):
    skip_without_zstd(request.param)
    return request.param


class TestMdsSource(SourceConformance):
    @pytest.fixture
    def source(self, name, tmp_path):
        return opened(sets.put(name, tmp_path))

    @pytest.fixture
    def expected(self, name):
        return [sample(told) for told in sets.expected(name)]

    @pytest.fixture
    def files(self, source, tmp_path):
        return sorted(tmp_path.rglob("shard.*"))

    def read(self, paths):
        folders = dict.fromkeys(path.parent for path in paths)
        return fn.readers.mds(path=[*folders], columns=COLUMNS)

    def test_where(self, source):
        assert re.search(r"/shard\.00000\.mds(\.\w+)?, sample 3$", source.where(3))


@pytest.mark.parametrize("cache_bytes", [0, 1000])
def test_a_cache_that_holds_no_two_shards(tmp_path, cache_bytes):
    source = opened(sets.put("gz", tmp_path), cache_bytes=cache_bytes)
    indices = np.random.default_rng(2).integers(0, len(source), 40)
    told = sets.expected("gz")
    assert_columns(source.read(indices, np.empty), [sample(told[i]) for i in indices])


def test_several_sets_follow_one_another(tmp_path):
    paths = [sets.put(name, tmp_path / name) for name in ("shards", "gz")]
    paths[1] += "/index.json"
    source = open_mds(paths, ["n"], cache_bytes=0)
    (numbers,) = source.read(np.arange(len(source)), np.empty)
    assert numbers.tolist() == [*range(12), *range(9)]
    sets.put("tokens", tmp_path / "tokens")
    with pytest.raises(
        SourceError, match=r"tokens.*has the columns n \(int\), tokens \(bytes\), bu"
    ):
        open_mds([paths[0], str(tmp_path / "tokens")], ["n"], cache_bytes=0)


def test_splits(tmp_path):
    root = sets.put("splits", tmp_path)
    assert len(opened(root, split="train")) == 5
    with pytest.raises(ArgumentError, match=r"splits train, val; give one, such as split='train'"):
        opened(root)
    with pytest.raises(SourceError, match=r"/test has no index\.json, so it is no MDS"):
        opened(root, split="test")


def test_shards_that_the_cache_of_streaming_has_decompressed(tmp_path):
    raw = {"shard.00000.mds": b"of another set"}
    content = sets.files_of("gz")
    with pytest.raises(SourceError, match=r"0.mds has 14 bytes, but the index tells 4"):
        opened(sets.put(content | raw, tmp_path / "other"))
    source = opened(sets.put(content, tmp_path / "whole"))
    storage = source._files._storages[0]
    storage.start_read([0], [np.empty(1, np.uint8)]).result()
    (shard,) = storage._cache.get([0], None).values()
    del content["shard.00000.mds.gz"]
    content["shard.00000.mds"] = shard.tobytes()
    source = opened(sets.put(content, tmp_path / "cache"))
    assert source.where(0).endswith("shard.00000.mds, sample 0")
    (numbers,) = opened(tmp_path / "cache", ["n"]).read(np.arange(9), np.empty)
    assert numbers.tolist() == [*range(9)]


def test_behind_a_url(web, tmp_path):
    for name in ("shards", "gz"):
        for path, content in sets.files_of(name).items():
            web.objects[f"{name}/{path}"] = content
        source = opened(f"{web.url}/{name}")
        told = sets.expected(name)
        indices = np.array([8, 0, 3])
        assert_columns(source.read(indices, np.empty), [sample(told[i]) for i in indices])


def test_lengths_and_labels_without_the_other_columns(tmp_path):
    source = opened(sets.put("scalars", tmp_path / "scalars"), ["n"])
    told = sets.expected("scalars")
    assert source.known_lengths("text").tolist() == [len(t["text"].encode()) for t in told]
    assert source.known_lengths("uint16").tolist() == [float(t["uint16"]) for t in told]
    assert source.known_lengths("many").tolist() == [float(t["many"]) for t in told]
    assert source.known_column("text").tolist() == [t["text"] for t in told]
    assert source.known_column("int8").dtype == np.int8
    assert source.known_column("raw") is None
    assert "text" in source.known_columns()
    assert "raw" not in source.known_columns()
    assert source.known_lengths("nothing") is source.known_column("nothing") is None
    arrays = opened(sets.put("arrays", tmp_path / "arrays"), ["fixed"])
    assert arrays.known_lengths("typed").tolist() == [1, 2, 3]
    assert arrays.known_lengths("free").tolist() == [1, 1, 1]
    assert arrays.known_lengths("fixed").tolist() == [2, 2, 2]
    assert arrays.known_lengths("long").tolist() == [250, 251, 252]


@pytest.mark.parametrize("size", range(0, 400, 13))
def test_a_shard_that_is_cut_off_is_read_up_to_the_cut(tmp_path, size):
    content = sets.files_of("shards")
    whole = content["shard.00001.mds"]
    content["shard.00001.mds"] = whole[:size]
    bounds = np.frombuffer(whole, "<u4", 5, 4)
    sound = int((bounds[1:] <= size).sum())
    root = sets.put(content, tmp_path)
    with pytest.raises(SourceError, match=rf"00001.mds has {size} bytes, .* damaged from offset"):
        opened(root)
    damages = Damages(leaves_out=True)
    source = opened(root, ["n"], damages=damages)
    (numbers,) = source.read(np.arange(len(source)), np.empty)
    assert numbers.tolist() == [*range(4), *range(4, 4 + sound), *range(8, 12)]
    (damage,) = damages.found
    assert damage.lost == 4 - sound
    assert damage.offset == (bounds[sound] if sound else 0)


@pytest.mark.parametrize("name", sets.COMPRESSED)
def test_a_compressed_shard_that_is_damaged(tmp_path, name):
    skip_without_zstd(name)
    content = sets.files_of(name)
    path = next(path for path in content if "00001" in path)
    damaged = bytearray(content[path])
    damaged[len(damaged) // 2] ^= 4
    root = sets.put(content | {path: bytes(damaged)}, tmp_path / "hash")
    source = opened(root, ["n"])
    for _ in range(2):
        with pytest.raises(SourceError, match=r"00001.* is damaged: the sha256 is .*, but should"):
            source.read(np.array([4]), np.empty)
    (numbers,) = source.read(np.array([0, 8]), np.empty)
    assert numbers.tolist() == [0, 8]
    index = json.loads(content["index.json"])
    for entry in index["shards"]:
        entry["zip_data"]["hashes"] = {"xxh64": "0", "shake_128": "0"}
    unhashed = content | {path: bytes(damaged), "index.json": json.dumps(index).encode()}
    if not name.startswith("zstd"):  # whose frames have no checksum, as streaming writes them
        with pytest.raises(SourceError, match=r"00001.* is damaged"):
            opened(sets.put(unhashed, tmp_path / "none"), ["n"]).read(np.arange(4, 9), np.empty)
    cut = content | {path: content[path][:-1]}
    with pytest.raises(
        SourceError, match=r"00001.* bytes, but the index tells .* from offset 0 on"
    ):
        opened(sets.put(cut, tmp_path / "cut"))
    damages = Damages(leaves_out=True)
    assert len(opened(tmp_path / "cut", damages=damages)) == 5
    assert damages.found[0].lost == 4


def test_without_the_library_of_zstandard(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, ZSTD, None)
    with pytest.raises(MissingDependencyError, match=f"Zstandard needs {ZSTD}.*: pip install"):
        opened(sets.put("zstd:7", tmp_path))


@pytest.mark.parametrize("name", ["br", "snappy"])
def test_compressions_that_are_not_read(tmp_path, name):
    with pytest.raises(SourceError, match=f"{name} has the compression '{name}'; write the sample"):
        opened(sets.put(name, tmp_path))


def test_sizes_that_do_not_add_up_are_a_damage_of_their_sample(tmp_path):
    value = np.uint32([3]).tobytes() + b"abc"
    samples = [value, np.uint32([4]).tobytes() + b"abc", b"\xff" * 4, b"\1", b"", value]
    source = opened(sets.put(sets.made({"x": ("bytes", None)}, samples), tmp_path), ["x"])
    (values,) = source.read(np.array([0, 5]), np.empty)
    assert [bytes(value) for value in values] == [b"abc"] * 2
    for number in range(1, 5):
        with pytest.raises(
            SourceError, match=f"sample {number}: the sizes of its values do not ad"
        ):
            source.read(np.array([0, number]), np.empty)
    with pytest.raises(SourceError, match="sample 3: the sizes"):
        source.known_lengths("x")


def test_a_bad_value_is_named(tmp_path):
    samples = [np.uint32([len(text)]).tobytes() + text for text in (b"12", b"cat")]
    source = opened(sets.put(sets.made({"x": ("str_int", None)}, samples), tmp_path), ["x"])
    with pytest.raises(
        DecodeError, match=r"mds, sample 1: the column 'x' is no number: the text 'cat'"
    ):
        source.read(np.array([0, 1, 0]), np.empty)


def test_the_first_sound_sample_tells_the_form_of_arrays(tmp_path):
    def value(array, code):
        data = bytes([code, array.ndim << 2, *array.shape]) + array.tobytes()
        return np.uint32([len(data)]).tobytes() + data

    bad = np.uint32([2]).tobytes() + b"\0\0"
    samples = [bad, value(np.ones((2, 3), np.int16), 17), value(np.ones(3, np.int16), 17)]
    samples.append(value(np.full((1, 2), 0.5, np.float32), 34))
    source = opened(sets.put(sets.made({"x": ("ndarray", None)}, samples), tmp_path), ["x"])
    (rule,) = source.rules
    assert (rule.dtype, rule.ndim) == (np.int16, 2)
    with pytest.raises(
        DecodeError, match="sample 2: the column 'x' has 1 dimensions, and others 2"
    ):
        source.read(np.array([1, 2]), np.empty)
    with pytest.raises(DecodeError, match="sample 3: the column 'x' holds a number that int16 has"):
        source.read(np.array([1, 3]), np.empty)
    with pytest.raises(
        DecodeError, match="sample 0: the column 'x' is an array of an unknown type"
    ):
        opened(sets.put(sets.made({"x": ("ndarray", None)}, [bad]), tmp_path), ["x"])
