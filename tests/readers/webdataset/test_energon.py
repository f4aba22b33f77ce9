"""Energon's metadata are obeyed, or refused with a reason."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock import fn, pipeline_def, types
from penstock.engine.errors import ArgumentError, SourceError
from penstock.readers.storage.urls import place_of
from penstock.readers.webdataset.energon import energon_set

from ..energon_sets import KEYS, LABELS, by_energon, prepared

TRAIN = [key for shard in list(KEYS)[:3] for key in KEYS[shard]]
VAL = KEYS["sub/shard-003.tar"]


@pipeline_def(batch_size=1, num_threads=1)
def labels(path, **options):
    return fn.readers.webdataset(
        paths=path, ext=["label"], dtypes=[types.INT32], name="reader", **options
    )


def read(path, **options):
    with labels(str(path), **options) as pipe:
        return [int(pipe.run()[0].at(0)[0]) for _ in range(pipe.epoch_size("reader"))]


def test_a_split_is_read_alone(tmp_path):
    root = prepared(tmp_path)
    assert read(root, split="train") == [LABELS[key] for key in TRAIN]
    assert read(root, split="val") == [LABELS[key] for key in VAL]


def test_several_splits_are_no_data_set(tmp_path):
    with pytest.raises(ArgumentError, match=r"the splits train \(3 shards, 6 samples\), val \(1 "):
        read(prepared(tmp_path))
    (tmp_path / "one").mkdir()
    root = prepared(tmp_path / "one", splits={"train": ["shard-000.tar"], "val": []})
    assert read(root) == [LABELS["a"], LABELS["b"]]


@pytest.mark.parametrize(
    ("split", "error"),
    [("tests", r"no split 'tests'; did you mean 'test'"), ("test", "split 'test' names no shard")],
)
def test_a_split_without_shards_is_an_error(tmp_path, split, error):
    with pytest.raises((ArgumentError, SourceError), match=error):
        read(prepared(tmp_path), split=split)


def test_there_are_no_configurations(tmp_path):
    with pytest.raises(ArgumentError, match=r"of Energon, which has no config.*='en'"):
        read(prepared(tmp_path), split="train", config="en")


def test_split_belongs_to_prepared_folders(tmp_path):
    prepared(tmp_path)
    with pytest.raises(ArgumentError, match="is no folder, so it has no 'train'"):
        read(tmp_path / "shard-000.tar", split="train")


def test_excluded_shards_and_samples_are_left_out(tmp_path):
    exclude = ["shard-000.tar", "shard-001.tar/{c,e}", "sub/shard-003.tar/x/h"]
    root = prepared(tmp_path, exclude=exclude)
    assert read(root, split="train") == [LABELS["d"], LABELS["f"]]
    assert read(root, split="val") == [LABELS["x/g"]]


@pytest.mark.parametrize(
    ("exclude", "error"),
    [
        ("shard-009.tar", "1 entries of 'exclude' are neither shards nor samples"),
        ("shard-001.tar/no", r"shard-001\.tar has no sample 'no', which 'exclude'"),
    ],
)
def test_an_exclusion_of_nothing_is_an_error(tmp_path, exclude, error):
    with pytest.raises(SourceError, match=error):
        read(prepared(tmp_path, exclude=[exclude]), split="train")


def test_counts_are_verified(tmp_path):
    root = prepared(tmp_path, counts={"shard-001.tar": 4})
    with pytest.raises(SourceError, match=r"shard-001\.tar has 3 samples, but 4 by the metadata"):
        read(root, split="train")


def test_a_field_inside_of_a_file_is_refused(tmp_path):
    @pipeline_def(batch_size=1, num_threads=1)
    def titles():
        return fn.readers.webdataset(paths=str(tmp_path), ext=["title"], split="train")

    prepared(tmp_path)
    with pytest.raises(ArgumentError, match=r"'json\[title\]'; ask for the file, 'json'"):
        titles().build()


def test_a_prepared_folder_behind_a_url(tmp_path, web):
    prepared(tmp_path, exclude=["shard-000.tar/a"])
    web.objects.update(
        (f"set/{path.relative_to(tmp_path)}", path.read_bytes())
        for path in tmp_path.rglob("*")
        if path.is_file()
    )
    assert read(f"{web.url}/set/", split="train") == [LABELS[key] for key in TRAIN[1:]]
    with pytest.raises(ArgumentError, match="choose one, such as split='train'"):
        read(f"{web.url}/set/")


@pytest.mark.parametrize("shard", ["../a.tar", "/etc/a.tar", "s3://bucket/a.tar", "a/../../b"])
def test_shards_lie_in_the_data_set(tmp_path, shard):
    with pytest.raises(SourceError, match="does not lie in the data set"):
        read(prepared(tmp_path, splits={"train": [shard]}))


def test_other_samples_are_refused(tmp_path):
    root = prepared(tmp_path)
    description = {"__module__": "megatron.energon", "__class__": "CrudeJsonlDatasetFactory"}
    (root / ".nv-meta" / "dataset.yaml").write_text(json.dumps(description))
    with pytest.raises(SourceError, match="describes a CrudeJsonlDatasetFactory, whose samples"):
        read(root, split="train")


@given(st.one_of(st.binary(max_size=60), st.text(":-[]{}&*!\n a1", max_size=40).map(str.encode)))
def test_damaged_metadata_are_errors(tmp_path_factory, content):
    root = tmp_path_factory.mktemp("set")
    for name in ("split.yaml", ".info.json", "dataset.yaml"):
        (root / ".nv-meta").mkdir(exist_ok=True)
        (root / ".nv-meta" / "split.yaml").write_text('{"split_parts": {"train": ["a.tar"]}}')
        (root / ".nv-meta" / name).write_bytes(content)
        with suppress(SourceError, ArgumentError):  # any other error fails
            energon_set(place_of(str(root)))


def test_what_energon_prepares(tmp_path):
    by_energon(tmp_path, "--split-parts", "train:shard-.*", "--split-parts", "val:sub/.*")
    assert read(tmp_path, split="train") == [LABELS[key] for key in TRAIN]
    assert read(tmp_path, split="val") == [LABELS[key] for key in VAL]
