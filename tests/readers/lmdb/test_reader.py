import io
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

from penstock import fn, ops, pipeline_def
from penstock.engine.errors import ArgumentError, DecodeError
from penstock.engine.tensors.memory import SlabPool
from penstock.readers.lmdb.files import LMDBFiles
from penstock.readers.lmdb.reader import (
    LMDBSource,
    values_as_bytes,
    values_as_npy,
    values_as_pickle,
)
from penstock.testing.readers import SourceConformance, assert_columns

from ..lmdb_samples import write_lmdb

SIZES = [5, 0, 110_000, 1, 5000, 4080, *range(1, 300)]


def values(seed=0):
    random = np.random.default_rng(seed)
    return [random.bytes(size) for size in SIZES]


def saved(array):
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def as_array(content):
    return np.frombuffer(content, np.uint8)


def source_of(*paths, database=None, parse=values_as_bytes, keys=False):
    return LMDBSource(LMDBFiles([str(path) for path in paths], database), parse, keys)


def read_all(source):
    return source.read(np.arange(len(source)), SlabPool().empty)


class TestFormat09(SourceConformance):
    @pytest.fixture
    def source(self, tmp_path):
        return source_of(write_lmdb(tmp_path / "env", values()))

    @pytest.fixture
    def expected(self):
        return [(as_array(value),) for value in values()]


class TestFormat10(SourceConformance):
    """Several files, one of them not in a folder of its own; with keys."""

    @pytest.fixture
    def source(self, tmp_path):
        first = write_lmdb(tmp_path / "env", values(1), lib_version=1)
        second = write_lmdb(tmp_path / "file.mdb", values(2), lib_version=1, subdir=False)
        return source_of(first, second, keys=True)

    @pytest.fixture
    def expected(self):
        return [
            (as_array(value), as_array(b"%08d" % number))
            for seed in (1, 2)
            for number, value in enumerate(values(seed))
        ]

    @pytest.fixture
    def files(self, source, tmp_path):
        return [tmp_path / "env" / "data.mdb", tmp_path / "file.mdb"]

    def read(self, paths):
        return fn.readers.lmdb(path=paths, keys=True)

    def test_where_names_file_and_key(self, source, tmp_path):
        assert source.where(3) == f"{tmp_path}/env/data.mdb at key 00000003"
        assert source.where(len(SIZES)) == f"{tmp_path}/file.mdb at key 00000000"


class TestNamedDatabaseOfArrays(SourceConformance):
    @pytest.fixture
    def arrays(self):
        return [np.arange(n * 3, dtype=np.float32).reshape(n, 3) for n in range(1, 8)]

    @pytest.fixture
    def source(self, tmp_path, arrays):
        write_lmdb(tmp_path / "env", [b"other"], database=b"other")
        write_lmdb(tmp_path / "env", [saved(a) for a in arrays], database=b"mine")
        return source_of(tmp_path / "env", database="mine", parse=values_as_npy)

    @pytest.fixture
    def expected(self, arrays):
        return [(array,) for array in arrays]


SPAWNED = """
import pickle, sys
import numpy as np
source = pickle.load(sys.stdin.buffer)
columns = source.read(np.arange(len(source)), np.empty)
assert "lmdb" not in sys.modules
pickle.dump(columns, sys.stdout.buffer)
"""


def test_another_process_reads_without_the_library(tmp_path):
    source = source_of(write_lmdb(tmp_path / "env", values()))
    expected = read_all(source)
    done = subprocess.run(
        [sys.executable, "-c", SPAWNED],
        input=pickle.dumps(source),
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        check=True,
        timeout=200,
    )
    assert_columns(pickle.loads(done.stdout), list(zip(*expected, strict=True)))


def test_pickled_values(tmp_path):
    arrays = [np.arange(6.0).reshape(2, 3), np.array(5), np.array([True])]
    env = write_lmdb(tmp_path / "env", [pickle.dumps(a) for a in (*arrays[:2], [True])])
    (column,) = read_all(source_of(env, parse=values_as_pickle))
    assert_columns((column,), [(array,) for array in arrays])


@pytest.mark.parametrize(
    ("parse", "bad", "message"),
    [
        (values_as_npy, b"no array", "no .npy file"),
        (values_as_pickle, b"no pickle", "cannot be unpickled"),
        (values_as_pickle, pickle.dumps({"a": 1}), "elements of type object"),
        (values_as_pickle, pickle.dumps("text"), "elements of type <U4"),
    ],
)
def test_a_value_that_is_something_else_is_named(tmp_path, parse, bad, message):
    good = {values_as_npy: saved(np.eye(2)), values_as_pickle: pickle.dumps(1)}[parse]
    source = source_of(write_lmdb(tmp_path / "env", [good, good, bad]), parse=parse)
    with pytest.raises(DecodeError, match=rf"data\.mdb at key 00000002: .*{message}"):
        read_all(source)


@pipeline_def(batch_size=3, num_threads=1, device_id=None)
def pipeline(**arguments):
    return fn.readers.lmdb(name="reader", **arguments)


def test_in_a_pipeline(tmp_path):
    env = write_lmdb(tmp_path / "env", [b"a", b"bc", b""])
    with pipeline(path=env, keys=True) as pipe:
        contents, keys = pipe.run()
    assert [bytes(contents.at(i)) for i in range(3)] == [b"a", b"bc", b""]
    assert bytes(keys.at(1)) == b"00000001"
    assert contents.source_info()[1] == f"{env} at key 00000001"


def test_a_bad_value_can_be_skipped(tmp_path):
    arrays = [saved(np.full(2, number)) for number in range(3)]
    env = write_lmdb(tmp_path / "env", [arrays[0], b"bad", arrays[2]])
    with pipeline(path=env, values="npy", on_error="skip") as pipe:
        (numbers,) = pipe.run()
        assert {int(numbers.at(i)[0]) for i in (0, 2)} == {0, 2}
    with pipeline(path=env, values="npy") as pipe, pytest.raises(DecodeError, match="00000001"):
        pipe.run()


def test_arguments_are_checked(tmp_path):
    with pytest.raises(ArgumentError, match="'values' must be 'bytes', 'npy' or 'pickle'"):
        pipeline(path=tmp_path, values="json")
    with pytest.raises(ArgumentError, match="'path' must be given"):
        pipeline()


def test_has_a_class():
    assert ops.readers.LMDB(path="x")
