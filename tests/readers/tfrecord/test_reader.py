import os
import sys
import zlib
from types import MappingProxyType

import numpy as np
import pytest

from penstock import fn, pipeline_def, tfrecord
from penstock.engine.errors import ArgumentError, DecodeError, MissingDependencyError, SourceError
from penstock.readers.tfrecord.example import FeatureType
from penstock.testing.readers import SourceConformance

from ..tfrecord_files import (
    example,
    sequence_example,
    write_index,
    write_records,
)
from ..tfrecord_reading import open_source

pytestmark = pytest.mark.usefixtures("user_cache")


def run_pipeline(batch_size, arguments, **options):
    """Return the outputs of one batch by name."""
    names = []

    @pipeline_def(batch_size=batch_size, num_threads=1, **options)
    def pipeline():
        found = fn.readers.tfrecord(**arguments)
        names.extend(found)
        return tuple(found.values())

    with pipeline() as pipe:
        outputs = pipe.run()
    return dict(zip(names, outputs, strict=True))


COUNT = 60


class TestTFRecordSource(SourceConformance):
    @pytest.fixture
    def values(self):
        random = np.random.default_rng(4)
        return [
            {
                "label": int(random.integers(-(2**62), 2**62)) >> int(random.integers(0, 63)),
                "image": random.bytes(int(random.integers(0, 40_000))),
                "box": [float(x) for x in random.standard_normal(4)],
                "ids": [int(x) for x in random.integers(0, 1000, random.integers(1, 5))],
                "unused": "text",
            }
            for _ in range(COUNT)
        ]

    @pytest.fixture
    def expected(self, values):
        return [
            (
                np.array(value["label"], np.int64),
                np.frombuffer(value["image"], np.uint8),
                np.array(value["box"], np.float32).reshape(2, 2),
                np.array(value["ids"], np.int64),
            )
            for value in values
        ]

    features = MappingProxyType(
        {
            "label": tfrecord.FixedLenFeature([], tfrecord.int64),
            "image": tfrecord.FixedLenFeature([], tfrecord.string),
            "box": tfrecord.FixedLenFeature([2, 2], tfrecord.float32),
            "ids": tfrecord.VarLenFeature(tfrecord.int64),
        }
    )
    left = COUNT - 1

    @pytest.fixture
    def files(self, tmp_path, values):
        paths = [tmp_path / f"{number}.tfrecord" for number in range(3)]
        for path, part in zip(paths, (values[:20], [], values[20:]), strict=True):
            write_records(path, map(example, part))
        return paths

    @pytest.fixture
    def source(self, files):
        return open_source(files, self.features)

    def read(self, paths):
        return [*fn.readers.tfrecord(path=paths, features=self.features).values()]

    def test_where_is_file_record_and_offset(self, source, tmp_path):
        assert source.where(0) == f"{tmp_path}/0.tfrecord, record 0, offset 0"
        assert source.where(20) == f"{tmp_path}/2.tfrecord, record 0, offset 0"

    def test_a_batch_takes_one_block_and_one_array(self, source):
        requests = []

        def allocate(shape, dtype):
            requests.append((shape, np.dtype(dtype).name))
            return np.empty(shape, dtype)

        _, images, _, _ = source.read(np.arange(40), allocate)
        assert [dtype for _, dtype in requests] == ["uint8", "int64", "float32"]
        assert len({id(image.base) for image in images}) == 1


def test_fn_returns_a_dict_and_arrays_of_the_declared_form(tmp_path):
    path = tmp_path / "data.tfrecord"
    write_records(path, (example({"n": i, "v": [i, 2 * i], "s": f"text {i}"}) for i in range(30)))
    features = {
        "n": tfrecord.FixedLenFeature([], tfrecord.int64),
        "v": tfrecord.FixedLenFeature([2, 1], tfrecord.int64),
        "s": tfrecord.FixedLenFeature((), tfrecord.string, ""),
    }
    out = run_pipeline(30, {"path": path, "features": features})
    assert list(out) == ["n", "v", "s"]
    assert out["n"].as_array().tolist() == list(range(30))
    assert out["v"].as_array().tolist() == [[[i], [2 * i]] for i in range(30)]
    assert [out["s"].at(i).tobytes().decode() for i in range(3)] == ["text 0", "text 1", "text 2"]
    assert out["s"][7].source_info().startswith(f"{path} at index ")


def test_a_mistyped_feature_is_named_beside_those_of_the_record(tmp_path):
    path = tmp_path / "data.tfrecord"
    write_records(path, [example({"label": [1], "image": b"x"})])
    features = {"lable": tfrecord.FixedLenFeature([], tfrecord.int64)}
    message = r"the record has 'image', 'label'; did you mean 'label'\?; a default"
    with pytest.raises(DecodeError, match=message):
        run_pipeline(1, {"path": path, "features": features})


def test_a_missing_feature_without_default_names_record_and_feature(tmp_path):
    path = tmp_path / "data.tfrecord"
    write_records(path, [example({"a": 1}), example({"b": 1}), example({"a": 3})])
    features = {"a": tfrecord.FixedLenFeature([], tfrecord.int64)}
    message = (
        r"data.tfrecord, record 1, offset 30: feature 'a' is missing; the record has 'b'; a default"
    )
    with pytest.raises(DecodeError, match=message):
        run_pipeline(3, {"path": path, "features": features})
    out = run_pipeline(3, {"path": path, "features": features}, on_error="replace")
    assert out["a"].as_array().tolist() == [1, 1, 3]
    assert out["a"].valid.tolist() == [True, False, True]


def test_sequence_examples(tmp_path):
    path = tmp_path / "data.tfrecord"
    records = [
        sequence_example(
            {"id": number},
            {
                "frame": [f"frame {step}" for step in range(number)],
                "pose": [[float(step), 0.5] for step in range(number)],
                "words": [[step] * step for step in range(number)],
            },
        )
        for number in range(4)
    ]
    write_records(path, records)
    out = run_pipeline(
        4,
        {
            "path": path,
            "features": {"id": tfrecord.FixedLenFeature([], tfrecord.int64)},
            "sequence_features": {
                "frame": tfrecord.FixedLenFeature([], tfrecord.string),
                "pose": tfrecord.FixedLenFeature([2], tfrecord.float32),
                "words": tfrecord.VarLenFeature(tfrecord.int64),
            },
        },
    )
    assert list(out) == ["id", "frame", "frame.lengths", "pose", "words", "words.lengths"]
    assert {name: rows.at(3).tolist() for name, rows in out.items()} == {
        "id": 3,
        "frame": list(b"frame 0frame 1frame 2"),
        "frame.lengths": [7, 7, 7],
        "pose": [[0, 0.5], [1, 0.5], [2, 0.5]],
        "words": [1, 2, 2],
        "words.lengths": [0, 1, 2],
    }
    assert [out["pose"].at(row).shape for row in range(4)] == [(row, 2) for row in range(4)]


def test_sequence_features_that_are_missing(tmp_path):
    path = tmp_path / "data.tfrecord"
    short = sequence_example({}, {"a": [1, []]})
    write_records(path, [short])
    with pytest.raises(DecodeError, match="record 0, offset 0: feature 'b' is missing"):
        run_pipeline(1, sequence_arguments(path, "b", None))
    with pytest.raises(DecodeError, match="offset 0, step 1: feature 'a' is missing"):
        run_pipeline(1, sequence_arguments(path, "a", None))
    assert run_pipeline(1, sequence_arguments(path, "a", 9))["a"].at(0).tolist() == [1, 9]
    assert run_pipeline(1, sequence_arguments(path, "b", 9))["b"].at(0).tolist() == []


def sequence_arguments(path, name, default):
    feature = tfrecord.FixedLenFeature([], tfrecord.int64, default)
    return {"path": path, "features": {}, "sequence_features": {name: feature}}


def compress(content, form):
    wbits = {"gzip": 31, "zlib": 15}[form]
    packer = zlib.compressobj(wbits=wbits)
    return packer.compress(content) + packer.flush()


@pytest.mark.parametrize("form", ["gzip", "zlib"])
def test_compressed_files(tmp_path, user_cache, form):
    plain, packed = tmp_path / "plain", tmp_path / "packed.tfrecord"
    places = write_records(plain, (example({"n": i}) for i in range(1000)))
    write_index(tmp_path / "index", places)
    packed.write_bytes(compress(plain.read_bytes(), form))
    features = {"n": tfrecord.FixedLenFeature([], tfrecord.int64)}
    for extra in ({}, {}, {"index_path": tmp_path / "index"}):
        out = run_pipeline(1000, {"path": packed, "features": features} | extra)
        assert out["n"].as_array().tolist() == list(range(1000))
        assert out["n"][1].source_info() == f"{packed} at index {places[1][0]}"
    assert len(list(user_cache.glob("*.unpacked"))) == 1


def test_checksums_are_verified_when_asked(tmp_path):
    path = tmp_path / "data.tfrecord"
    places = write_records(path, (example({"n": i, "s": "text"}) for i in range(40)))
    content = bytearray(path.read_bytes())
    content[places[5][0] + 12 + content[places[5][0] + 12 :].index(b"text")] ^= 1
    path.write_bytes(content)
    arguments = {"path": path, "features": {"n": tfrecord.FixedLenFeature([], tfrecord.int64)}}
    wrong = rf"data.tfrecord, record 5, offset {places[5][0]}: the data do not agree"
    for verify in (None, "always"):
        with pytest.raises(DecodeError, match=wrong):
            run_pipeline(40, arguments | {"verify_crc": verify})
    out = run_pipeline(40, arguments | {"verify_crc": "never"})
    assert out["n"].as_array().tolist() == list(range(40))
    wrong = rf"data.tfrecord: record 5 at offset {places[5][0]} does not agree"
    with pytest.raises(SourceError, match=wrong):
        run_pipeline(40, arguments | {"verify_crc": "index"})
    out = run_pipeline(40, arguments, on_error="skip")
    assert out["n"].valid.tolist() == [row != 5 for row in range(40)]


def test_without_the_library_checksums_are_left_out_with_a_warning(tmp_path, monkeypatch):
    path = tmp_path / "data.tfrecord"
    write_records(path, [example({"n": 1})])
    arguments = {"path": path, "features": {"n": tfrecord.FixedLenFeature([], tfrecord.int64)}}
    monkeypatch.setitem(sys.modules, "crc32c", None)
    with pytest.warns(UserWarning, match=r"not verified.* pip install '.*\[tfrecord\]'"):
        assert run_pipeline(1, arguments)["n"].as_array().tolist() == [1]
    with pytest.raises(MissingDependencyError, match="crc32c"):
        run_pipeline(1, arguments | {"verify_crc": "always"})
    assert run_pipeline(1, arguments | {"verify_crc": "never"})["n"].as_array().tolist() == [1]


def test_index_files(tmp_path):
    path, index = tmp_path / "data.tfrecord", tmp_path / "data.idx"
    places = write_records(path, (example({"n": i}) for i in range(50)))
    write_index(index, places[10:20])
    arguments = {"path": path, "index_path": index}
    arguments["features"] = {"n": tfrecord.FixedLenFeature([], tfrecord.int64)}
    with pytest.warns(RuntimeWarning, match="10 records, to which 300 of the 1500 bytes of"):
        out = run_pipeline(10, arguments)
    assert out["n"].as_array().tolist() == list(range(10, 20))
    assert sorted(os.listdir(tmp_path)) == ["data.idx", "data.tfrecord"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the index is empty"),
        ("12 cats\n", "no index of a TFRecord file"),
        ("0\n", "no index of a TFRecord file"),
        ("0 99999999999999999999\n", "no index of a TFRecord file"),
        ("0 30\n33 30\n", "line 2: .*no record of 30 bytes at offset 33"),
        ("0 30\n30 9223372036854775807\n", "line 2: .*no record of 9223372036854775807 bytes"),
        ("-30 30\n", "line 1: .*no record of 30 bytes at offset -30"),
        ("0 -1\n", "line 1: .*no record of -1 bytes"),
        ("0 31\n", "line 1: .*no record of 31 bytes"),
    ],
)
def test_an_index_of_another_file_is_refused(tmp_path, content, message):
    path, index = tmp_path / "data.tfrecord", tmp_path / "data.idx"
    assert write_records(path, (example({"n": i}) for i in range(9)))[1] == (30, 30)
    index.write_text(content)
    arguments = {"path": path, "index_path": index}
    arguments["features"] = {"n": tfrecord.FixedLenFeature([], tfrecord.int64)}
    with pytest.raises(SourceError, match=f"data.idx.*{message}"):
        run_pipeline(1, arguments)


def test_an_index_that_lies_between_the_probed_records_is_found_out_when_read(tmp_path):
    path, index = tmp_path / "data.tfrecord", tmp_path / "data.idx"
    places = write_records(path, (example({"n": i}) for i in range(2000)))
    (offset, length), after = places[1000], places[1001]
    places[1000] = (offset + 1, length)
    assert after
    write_index(index, places)
    arguments = {"path": path, "index_path": index, "verify_crc": "never"}
    arguments["features"] = {"n": tfrecord.FixedLenFeature([], tfrecord.int64)}
    with pytest.raises(DecodeError, match=rf"record 1000, offset {offset + 1}: the record's head"):
        run_pipeline(2000, arguments)


def test_a_file_that_shrinks_or_changes_while_it_is_open(tmp_path):
    path = tmp_path / "data.tfrecord"
    places = write_records(path, (example({"n": i}) for i in range(50)))
    source = open_source([path], {"n": tfrecord.FixedLenFeature([], tfrecord.int64)})
    source.read(np.arange(50), np.empty)
    os.truncate(path, places[30][0] + 5)
    assert source.read(np.arange(30), np.empty)[0].tolist() == list(range(30))
    with pytest.raises(SourceError, match="was cut short"):
        source.read(np.arange(50), np.empty)
    write_records(path, (example({"number": i}) for i in range(50)))
    with pytest.raises(DecodeError, match="the index belongs to another file, or the file was"):
        source.read(np.arange(50), np.empty)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"features": {}}, "no features"),
        ({"features": [1]}, "must be a dict"),
        ({"features": {"a": "int64"}}, "maps names to"),
        ({"verify_crc": "sometimes"}, "'verify_crc' must be 'always', 'index' or 'never'"),
        ({"index_path": ["a", "b"]}, "index_path names 2 files, path 1"),
        ({"sequence_features": {"n": tfrecord.VarLenFeature(1)}}, "two outputs are named 'n'"),
    ],
)
def test_wrong_arguments(tmp_path, arguments, message):
    usual = {"path": "x", "features": {"n": tfrecord.FixedLenFeature([], tfrecord.int64)}}
    with pytest.raises(ArgumentError, match=message):
        run_pipeline(1, usual | arguments)


def test_kinds_have_the_numbers_of_the_format():
    assert [kind.value for kind in FeatureType] == [1, 2, 3]
