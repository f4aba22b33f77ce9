"""Samples of several values in LMDB databases, as `penstock convert --to lmdb` writes them."""

import pickle

import numpy as np
import pytest

from penstock import datasets, fn, pipeline_def, types
from penstock.engine.errors import ArgumentError, DecodeError, SourceError
from penstock.readers.lmdb.components import open_components
from penstock.readers.webdataset.choosing import outputs_of
from penstock.testing.readers import SourceConformance

lmdb = pytest.importorskip("lmdb")

FILES = {
    "a-b.cls": b"3",
    "a-b.jpg": b"first",
    "a.cls": b"12",
    "a.jpg": b"",
    "a.mask.png": b"mask",
    "v1.0/b.cls": b"-7",
    "v1.0/b.jpg": b"third" * 2000,
    "v1.0/c.jpg": b"without a label",
}
KEYS = [b"a-b", b"a", b"v1.0/b", b"v1.0/c"]


def save(path, files):
    with lmdb.open(str(path)) as database, database.begin(write=True) as transaction:
        for key, content in files.items():
            transaction.put(key.encode(), content)
    return str(path)


def opened(*paths, ext=("cls", "jpg"), dtypes=("int32", "uint8"), **options):
    outputs = outputs_of("fn.readers.lmdb", ext, dtypes)
    return open_components(paths, ext, outputs, **options)


class TestComponents(SourceConformance):
    @pytest.fixture
    def source(self, tmp_path):
        return opened(save(tmp_path / "a", FILES), save(tmp_path / "b", FILES), keys=True)

    @pytest.fixture
    def expected(self):
        labels = [[3], [12], [-7], []]
        images = [b"first", b"", b"third" * 2000, b"without a label"]
        samples = [
            (np.array(label, np.int32), *(np.frombuffer(content, np.uint8) for content in rest))
            for label, *rest in zip(labels, images, KEYS, strict=True)
        ]
        return samples * 2

    @pytest.fixture
    def files(self, source, tmp_path):
        return [tmp_path / name / "data.mdb" for name in "ab"]

    def read(self, paths):
        dtypes = [types.INT32, types.UINT8]
        return fn.readers.lmdb(path=paths, ext=["cls", "jpg"], dtypes=dtypes, keys=True)

    def test_where_names_file_and_key(self, source, tmp_path):
        assert source.where(6).startswith(f"{tmp_path}/b/data.mdb, sample 2 'v1.0/b', offset ")


def test_elements_are_aligned(tmp_path):
    files = {f"{i}.f": np.arange(i, dtype=np.float64).tobytes() for i in range(9)}
    files |= {f"{i}.a": bytes(i) for i in range(9)}
    source = opened(save(tmp_path / "a", files), ext=["f"], dtypes=["float64"])
    (column,) = source.read(np.arange(9), np.empty)
    assert [sample.tolist() for sample in column] == [list(range(i)) for i in range(9)]
    assert all(sample.flags.aligned for sample in column)


@pytest.mark.parametrize(("missing", "count"), [("empty", 4), ("skip", 3)])
def test_missing_components(tmp_path, missing, count):
    assert len(opened(save(tmp_path / "a", FILES), missing=missing)) == count


def test_missing_components_are_an_error_on_demand(tmp_path):
    with pytest.raises(SourceError, match=r"sample 3 'v1\.0/c' has no component 'cls'"):
        opened(save(tmp_path / "a", FILES), missing="error")


def test_a_label_that_is_no_number_is_named(tmp_path):
    source = opened(save(tmp_path / "a", FILES | {"a.cls": b"cat"}))
    with pytest.raises(DecodeError, match=r"sample 1 'a', offset .*'cat' is no decimal number"):
        source.read(np.arange(2), np.empty)


def test_a_database_that_is_written_to_is_refused(tmp_path):
    path = save(tmp_path / "a", FILES)
    source = pickle.loads(pickle.dumps(opened(path)))
    save(path, {"z.jpg": b"new"})
    with pytest.raises(SourceError, match="was written to while it was being read"):
        source.read(np.arange(1), np.empty)


def test_a_converted_data_set_has_as_many_samples_as_before(tmp_path, photos):
    datasets.convert(photos, tmp_path / "out", to="lmdb", shard_count=2)
    paths = sorted(str(path) for path in (tmp_path / "out").glob("shard-*"))

    @pipeline_def(batch_size=4, num_threads=1)
    def pipeline():
        return fn.readers.lmdb(
            path=paths,
            ext=["png", "cls"],
            dtypes=[types.UINT8, types.INT32],
            keys=True,
            name="reader",
        )

    with pipeline() as pipe:
        images, labels, keys = pipe.run()
        assert pipe.epoch_size("reader") == 4
    assert labels.as_array().tolist() == [[0], [0], [1], [1]]
    assert [keys.at(i).tobytes() for i in range(4)] == [b"a/0", b"a/1", b"b/2", b"b/3"]
    assert images.at(3).tobytes() == (photos / "b" / "3.png").read_bytes()


@pytest.fixture
def photos(tmp_path):
    image = pytest.importorskip("PIL.Image")
    for number, folder in enumerate("aabb"):
        path = tmp_path / "photos" / folder / f"{number}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        image.new("RGB", (4, 3), (number, 0, 0)).save(path)
    return tmp_path / "photos"


def values(path, **arguments):
    @pipeline_def(batch_size=2, num_threads=1)
    def pipeline():
        found = fn.readers.lmdb(path=path, **arguments)
        return tuple(found) if isinstance(found, (list, tuple)) else found

    with pipeline() as pipe:
        return [[out.at(i).tolist() for i in range(2)] for out in pipe.run()]


def test_values_of_files_give_a_warning(tmp_path):
    path = save(tmp_path / "a", FILES)
    with pytest.warns(UserWarning, match=r"at key a-b\.cls: .*ext=\['cls', 'jpg'\]"):
        assert values(path) == [[[*b"3"], [*b"first"]]]
    plain = save(tmp_path / "b", {"00000000": b"1", "00000001": b"2"})
    assert values(plain) == [[[*b"1"], [*b"2"]]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"ext": "jpg", "values": "npy"}, "does not go with `ext`; fn.decoders.numpy"),
        ({"dtypes": types.INT32}, "`dtypes` needs `ext`"),
        ({"missing_component_behavior": "error"}, "`missing_component_behavior` needs `ext`"),
        ({"ext": ["jpg", "cls"], "dtypes": [types.INT32]}, "1 dtypes for 2 outputs"),
        (
            {"ext": "jpg", "missing_component_behavior": "drop"},
            "must be 'empty', 'skip' or 'error'",
        ),
    ],
)
def test_arguments_that_do_not_fit(tmp_path, arguments, message):
    with pytest.raises(ArgumentError, match=message):
        values(save(tmp_path / "a", FILES), **arguments)
