"""The records of LMDB files: databases, keys, changes and the cached index."""

import os

import lmdb
import numpy as np
import pytest

from penstock.engine.errors import SourceError
from penstock.readers.lmdb import files as lmdb_files
from penstock.readers.lmdb.files import LMDBFiles
from penstock.testing.readers import assert_columns

from ...conftest import kept_index
from ..lmdb_samples import FORMATS, write_lmdb

SIZES = [5, 0, 110_000, 1, 5000, 4080, *range(1, 300)]


def values():
    random = np.random.default_rng(0)
    return [random.bytes(size) for size in SIZES]


def files_of(*paths, database=None):
    return LMDBFiles([str(path) for path in paths], database)


def read_all(files, keys=False):
    """Return the values, and the keys if they are wanted, in columns."""
    indices = np.arange(len(files))
    column = files.read(indices, np.empty).views()
    return (column, files.keys(indices, np.empty)) if keys else (column,)


def test_records_of_several_files_are_numbered_through(tmp_path):
    first = write_lmdb(tmp_path / "env", [b"a", b"bc"])
    second = write_lmdb(tmp_path / "file.mdb", [b"", b"def"], subdir=False)
    files = files_of(first, second)
    column, keys = read_all(files, keys=True)
    assert [value.tobytes() for value in column] == [b"a", b"bc", b"", b"def"]
    assert [key.tobytes() for key in keys] == [b"00000000", b"00000001"] * 2
    assert files.where(1) == f"{tmp_path}/env/data.mdb at key 00000001"
    assert files.where(2) == f"{tmp_path}/file.mdb at key 00000000"
    chosen = files.read(np.array([3, 0, 3]), np.empty).views()
    assert [value.tobytes() for value in chosen] == [b"def", b"a", b"def"]
    with pytest.raises(IndexError):
        files.read(np.array([4]), np.empty)


@pytest.mark.parametrize("lib_version", FORMATS)
class TestNamedDatabases:
    @pytest.fixture
    def env(self, tmp_path, lib_version):
        env = tmp_path / "env"
        for name in (b"train", b"test"):
            write_lmdb(env, [b"of " + name], database=name, lib_version=lib_version)
        return env

    def test_each_is_found(self, env):
        for name in ("train", "test"):
            (column,) = read_all(files_of(env, database=name))
            assert [value.tobytes() for value in column] == [b"of " + name.encode()]

    def test_another_name_is_refused(self, env):
        with pytest.raises(SourceError, match="no database named 'valid'; it has 'test', 'train'"):
            files_of(env, database="valid")

    def test_one_must_be_named(self, env):
        with pytest.raises(SourceError, match="named databases 'test', 'train': say which one"):
            files_of(env)

    def test_they_are_no_records_of_the_unnamed_one(self, env, lib_version):
        write_lmdb(env, {b"a": b"1", b"tf": b"2", b"z": b"3"}, lib_version=lib_version)
        column, keys = read_all(files_of(env), keys=True)
        assert [value.tobytes() for value in column] == [b"1", b"2", b"3"]
        assert [key.tobytes() for key in keys] == [b"a", b"tf", b"z"]

    def test_without_any_the_error_says_so(self, tmp_path, lib_version):
        env = write_lmdb(tmp_path / "plain", [b"x"], lib_version=lib_version)
        with pytest.raises(SourceError, match="no database named 'train'; it has none"):
            files_of(env, database="train")


def test_no_records_are_refused(tmp_path):
    with pytest.raises(SourceError, match=r"data\.mdb: no records in the unnamed database"):
        files_of(write_lmdb(tmp_path / "env", []))
    write_lmdb(tmp_path / "env", [], database=b"sub")
    with pytest.raises(SourceError, match="no records in the database 'sub'"):
        files_of(tmp_path / "env", database="sub")


def test_several_values_for_a_key_are_refused(tmp_path):
    env = write_lmdb(tmp_path / "env", [b"x"], database=b"sub", dupsort=True)
    with pytest.raises(SourceError, match="several values for a key"):
        files_of(env, database="sub")


@pytest.mark.parametrize("name", ["none", "empty"])
def test_a_missing_file_is_named(tmp_path, name):
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileNotFoundError, match=name):
        files_of(tmp_path / name)


def test_keys_that_are_no_text(tmp_path):
    files = files_of(write_lmdb(tmp_path / "env", {b"\xff\0": b"x", b"a\n": b"y"}))
    assert files.where(0).endswith(r"at key b'a\n'")
    assert files.where(1).endswith(r"at key b'\xff\x00'")


def test_a_read_only_folder_without_lock_file(tmp_path):
    env = write_lmdb(tmp_path / "env", [b"x"])
    (env / "lock.mdb").unlink()
    env.chmod(0o500)
    try:
        (column,) = read_all(files_of(env))
    finally:
        env.chmod(0o700)
    assert column[0].tobytes() == b"x"
    assert os.listdir(env) == ["data.mdb"]


@pytest.mark.parametrize("lib_version", FORMATS)
def test_a_file_that_is_written_to_is_refused(tmp_path, lib_version):
    env = write_lmdb(tmp_path / "env", [b"x"] * 50, lib_version=lib_version)
    files = files_of(env)
    before = read_all(files)
    with lmdb.open(str(env), map_size=1 << 26, sync=False) as environment:
        with environment.begin(write=True) as transaction:
            transaction.delete(b"00000007")
            transaction.put(b"00000008", b"y" * 20_000)
            assert_columns(read_all(files), [(row,) for row in before[0]])  # not committed yet
        with pytest.raises(SourceError, match=r"data\.mdb was written to while it was being read"):
            read_all(files)
    (column,) = read_all(files_of(env))
    assert len(column) == 49


def test_another_file_in_its_place_is_refused(tmp_path):
    env = write_lmdb(tmp_path / "env", [b"x"] * 50)
    files = files_of(env)
    read_all(files)
    files.close()
    (env / "data.mdb").unlink()
    write_lmdb(env, [b"y"] * 50)  # by a transaction of the same number
    assert len(read_all(files)[0]) == 50
    (env / "data.mdb").unlink()
    write_lmdb(env, [b"another"] * 900)
    files.close()
    with pytest.raises(SourceError, match="was written to"):
        read_all(files)


def test_a_file_that_shrinks_is_refused(tmp_path):
    env = write_lmdb(tmp_path / "env", values())
    files = files_of(env)
    read_all(files)
    os.truncate(env / "data.mdb", 20_000)
    with pytest.raises(SourceError, match=r"data\.mdb.* was cut short"):
        read_all(files)


def test_the_index_of_a_big_tree_is_cached(tmp_path, monkeypatch, tuned):
    tuned(lmdb_files, MIN_CACHED_LEAF_PAGES=1)
    env = write_lmdb(tmp_path / "env", values())
    expected = read_all(files_of(env))
    cache = kept_index(env / "data.mdb")
    assert cache.exists()

    def fail(*_):
        raise AssertionError

    with monkeypatch.context() as patch:
        patch.setattr(lmdb_files, "read_entries", fail)
        assert_columns(read_all(files_of(env)), list(zip(*expected, strict=True)))
    write_lmdb(env, {b"zzz": b"new"})
    (column,) = read_all(files_of(env))
    assert (len(column), column[-1].tobytes()) == (len(SIZES) + 1, b"new")


def test_databases_of_one_file_do_not_take_each_others_index(tmp_path, tuned):
    tuned(lmdb_files, MIN_CACHED_LEAF_PAGES=0)
    for name in (b"a", b"b"):
        write_lmdb(tmp_path / "env", [b"of " + name], database=name)
    for name in ("a", "b", "a"):
        (column,) = read_all(files_of(tmp_path / "env", database=name))
        assert column[0].tobytes() == b"of " + name.encode()


def test_a_folder_of_databases_and_a_pattern_stand_for_all_of_them(tmp_path):
    (tmp_path / "set").mkdir()
    for number in range(3):
        write_lmdb(tmp_path / "set" / f"shard-{number}", values()[:2])
    assert len(files_of(tmp_path / "set")) == 6
    assert len(files_of(tmp_path / "set" / "shard-[12]")) == 4
    assert files_of(tmp_path / "set").where(2) == f"{tmp_path}/set/shard-1/data.mdb at key 00000000"
    with pytest.raises(SourceError, match=r"matches the pattern .*/set/x\*"):
        files_of(tmp_path / "set" / "x*")
