"""Lists of files, values that become JSON, and values for missing ones."""

import json

import numpy as np
import pytest

from penstock import ArgumentError, DecodeError, Pipeline, SourceError, fn
from penstock.extend import files_of
from penstock.readers.parquet.source import open_parquet

from .tables import CACHE, opened, pa, write, write_stream

IMAGES = [b"first", b"the second", b"", b"fourth"]
LISTS = [[0], [1, 2], [], [3, 0, 1]]
FILE = pa.struct({"bytes": pa.binary(), "path": pa.string()})
TALKS = [[("hi", "hello")], [("a", "b"), ("c", "schön")], [], [("x", "y")]]


def talks():
    return [[{"user": user, "assistant": answer} for user, answer in talk] for talk in TALKS]


def lists(paths="pic{}.png"):
    return [[{"bytes": IMAGES[i], "path": paths.format(i)} for i in some] for some in LISTS]


def table():
    return pa.table(
        {
            "images": lists(),
            "raw": pa.array([[IMAGES[i] for i in some] for some in LISTS], pa.list_(pa.binary())),
            "texts": talks(),
            "tags": [["a", "b"], [], ["c", None], ["schön"]],
            "meta": [{"source": "web", "size": [i, 2.5], "more": {"ok": True}} for i in range(4)],
        }
    )


def files(sample):
    return [file.tobytes() for file in files_of(sample)]


def column(source, *rows):
    return source.read(np.array(rows or range(len(source))), np.empty)[0]


@pytest.mark.parametrize("save", [write, write_stream])
@pytest.mark.parametrize("name", ["images", "raw", "images.bytes"])
def test_lists_of_files(tmp_path, save, name):
    source = opened(save(tmp_path / "a.parquet", table()), name)
    assert [files(sample) for sample in column(source)] == [[IMAGES[i] for i in s] for s in LISTS]
    assert [files(s) for s in column(source, 3, 2)] == [[IMAGES[i] for i in LISTS[3]], []]


@pytest.mark.parametrize(
    "kind", [pa.list_(pa.binary(), 2), pa.large_list(pa.large_binary()), pa.list_(pa.binary(5))]
)
def test_other_lists_of_bytes(tmp_path, kind):
    values = [[b"12345", b"67890"]] * 2
    source = opened(write(tmp_path / "a.parquet", pa.table({"x": pa.array(values, kind)})), "x")
    assert [files(sample) for sample in column(source)] == values


@pytest.mark.parametrize("save", [write, write_stream])
@pytest.mark.parametrize("name", ["texts", "tags", "meta"])
def test_nested_values_become_json(tmp_path, save, name):
    rows = table()
    source = opened(save(tmp_path / "a.parquet", rows), name)
    found = [json.loads(sample.tobytes()) for sample in column(source)]
    assert found == rows[name].to_pylist()
    assert [json.loads(s.tobytes()) for s in column(source, 1, 0)] == [found[1], found[0]]


def test_fields_of_nested_values(tmp_path):
    path = write(tmp_path / "a.parquet", table())
    assert column(opened(path, "texts.user"))[1].tobytes() == b'["a", "c"]'
    assert column(opened(path, "images.path"))[1].tobytes() == b'["pic1.png", "pic2.png"]'


def test_numbers_that_are_no_json(tmp_path):
    rows = pa.table({"x": [[{"a": 1.0}], [{"a": float("nan")}]]})
    source = opened(write(tmp_path / "a.parquet", rows), "x")
    assert column(source, 0)[0].tobytes() == b'[{"a": 1.0}]'
    with pytest.raises(DecodeError, match=r"a\.parquet row 1: the column 'x' holds NaN"):
        column(source, 0, 1)


def test_missing_lists_and_files(tmp_path):
    images = pa.array([None, [{"bytes": None}], [{"bytes": b"a"}]], pa.list_(FILE))
    path = write(tmp_path / "a.parquet", pa.table({"x": images, "talk": [None, ["a"], None]}))
    with pytest.raises(DecodeError, match=r"row 0: the column 'x' is missing \(null\)"):
        column(opened(path, "x"), 2, 0)
    with pytest.raises(DecodeError, match=r"row 1: the column 'x' holds a file without bytes"):
        column(opened(path, "x"), 2, 1)
    with pytest.raises(DecodeError, match=r"row 2: the column 'talk' is missing \(null\)"):
        column(opened(path, "talk"), 1, 2)


def test_files_of_lists_are_read_from_their_paths(tmp_path):
    (tmp_path / "pic").write_bytes(b"linked")
    images = [[{"bytes": None, "path": "pic"}, {"bytes": b"here", "path": "pic"}], []]
    source = opened(write(tmp_path / "a.parquet", pa.table({"x": images})), "x")
    assert [files(sample) for sample in column(source)] == [[b"linked", b"here"], []]


def filled(path, fill, **options):
    source = open_parquet([path], list(fill), fill=fill, cache_bytes=CACHE, **options)
    return source.read(np.arange(len(source)), np.empty)


def test_values_for_missing_ones(tmp_path):
    (tmp_path / "pic").write_bytes(b"linked")
    rows = pa.table(
        {
            "caption": ["a", None],
            "label": [None, 3],
            "boxes": pa.array([None, [[1.0, 2.0]]], pa.list_(pa.list_(pa.float32()))),
            "images": [[{"bytes": b"a", "path": "b"}], None],
            "image": pa.array([{"path": "pic"}, None], FILE),
            "talk": [["hi"], None],
            "class": pa.array([None, "cat"]).dictionary_encode(),
        }
    )
    path = write(tmp_path / "a.parquet", rows)
    fill = {"caption": "-", "label": 7, "boxes": [], "images": [], "image": b"?", "talk": ["x"]}
    caption, label, boxes, images, image, talk, name = filled(path, fill | {"class": "dog"})
    assert [text.tobytes() for text in (*caption, *image)] == [b"a", b"-", b"linked", b"?"]
    assert label.tolist() == [7, 3]
    assert [box.shape for box in boxes] == [(0, 0), (1, 2)]
    assert [files(sample) for sample in images] == [[b"a"], []]
    assert [json.loads(text.tobytes()) for text in talk] == [["hi"], ["x"]]
    assert [text.tobytes() for text in name] == [b"dog", b"cat"]


def test_a_list_with_a_missing_number_is_no_missing_list(tmp_path):
    path = write(tmp_path / "a.parquet", pa.table({"x": [[1, None], [2, 3]]}))
    with pytest.raises(DecodeError, match=r"row 0: the column 'x' is missing"):
        filled(path, {"x": [0, 0]})


@pytest.mark.parametrize("value", [None, "text", [[1]], 1 << 40])
def test_values_that_the_column_cannot_hold(tmp_path, value):
    path = write(tmp_path / "a.parquet", pa.table({"x": pa.array([1, None], pa.int32())}))
    with pytest.raises(ArgumentError, match=r"fill=\{'x': .*\} is no value of the column's type"):
        filled(path, {"x": value})


def test_fill_names_columns(tmp_path):
    path = write(tmp_path / "a.parquet", pa.table({"caption": ["a"]}))
    with pytest.raises(ArgumentError, match="fill has no column 'captoin'; did you mean 'caption'"):
        fn.readers.parquet(path=path, columns=["caption"], fill={"captoin": ""})


def test_files_of_a_reader_must_agree_in_kind(tmp_path):
    first = write(tmp_path / "a.parquet", pa.table({"x": [["a"]]}))
    second = write(tmp_path / "b.parquet", pa.table({"x": ["a"]}))
    with pytest.raises(SourceError, match=r"b\.parquet: the column 'x' has the type string"):
        open_parquet([first, second], ["x"], cache_bytes=CACHE)


def test_a_file_without_a_path(tmp_path):
    path = write(tmp_path / "a.parquet", pa.table({"x": [{"bytes": b"a"}]}))
    assert column(opened(path, "x"))[0].tobytes() == b"a"


def test_types_of_json_are_bytes(tmp_path):
    path = write(tmp_path / "a.parquet", table())
    with pytest.raises(ArgumentError, match=r"'texts' of type list<.* becomes JSON, uint8"):
        opened(path, "texts", dtypes=[np.int32])


def test_bad_samples_of_lists_are_replaced(tmp_path):
    path = write(tmp_path / "a.parquet", pa.table({"talk": [["a"], None, ["b"]]}))
    with Pipeline(batch_size=3, num_threads=1, on_error="replace") as pipe:
        pipe.set_outputs(fn.readers.parquet(path=path, columns=["talk"]))
        (talk,) = pipe.run()
    assert talk.valid.tolist() == [True, False, True]
    assert bytes(talk.at(2)) == b'["b"]'


def test_a_set_of_the_library_datasets(tmp_path):
    datasets = pytest.importorskip("datasets")
    cv2 = pytest.importorskip("cv2")
    images = [cv2.imencode(".png", np.full((8, 9, 3), i, np.uint8))[1].tobytes() for i in range(3)]
    features = datasets.Features(
        {
            "images": datasets.List(datasets.Image()),
            "texts": [{"user": datasets.Value("string"), "assistant": datasets.Value("string")}],
        }
    )
    rows = {
        "images": [
            [{"bytes": images[i], "path": None} for i in some] for some in ([0], [1, 2], [])
        ],
        "texts": talks()[:3],
    }
    data = datasets.Dataset.from_dict(rows, features=features)
    data.to_parquet(tmp_path / "a.parquet")
    data.save_to_disk(tmp_path / "saved")
    for path in (tmp_path / "a.parquet", tmp_path / "saved"):
        with Pipeline(batch_size=3, num_threads=1) as pipe:
            files, texts = fn.readers.parquet(path=path, columns=["images", "texts"])
            pipe.set_outputs(fn.decoders.image_list(files, size=4), texts)
            frames, texts = pipe.run()
        assert [frames.at(i)[:, 0, 0, 0].tolist() for i in range(3)] == [[0], [1, 2], []]
        assert [json.loads(bytes(texts.at(i))) for i in range(3)] == talks()[:3]
