"""Metadatasets of Energon as the sources of a mixture."""

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.engine.errors import ArgumentError, SourceError

from ..energon_sets import LABELS, prepared

yaml = pytest.importorskip("yaml")
ARGUMENTS = {"ext": ["cls"], "dtypes": [np.int32]}


@pytest.fixture
def folder(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        prepared(tmp_path / name)
    return tmp_path


def _written(folder, splits):
    file = folder / "all.yaml"
    content = {"__module__": "megatron.energon", "__class__": "MetadatasetV2", "splits": splits}
    file.write_text(yaml.safe_dump(content))
    return str(file)


def _mixed(path, count, **options):
    with Pipeline(count, 1) as pipe:
        outputs = fn.readers.mix(path, source_arguments=ARGUMENTS, name="mix", **options)
        pipe.set_outputs(*outputs)
        label, source = (output.as_array().ravel().tolist() for output in pipe.run())
        return label, source, pipe.reader_meta("mix")["sources"]


def test_weights_of_a_blend(folder):
    one = {"path": "one", "weight": 3, "subflavors": {"x": 1}}
    two = {"path": "./two", "weight": 1, "split_part": "val"}
    path = _written(folder, {"train": {"blend": [one, two]}})
    label, source, sources = _mixed(path, 8)
    assert (source.count(0), source.count(1)) == (6, 2)
    assert [sources[name]["share"] for name in ("one", "./two")] == [0.75, 0.25]
    of_one = [value for value, own in zip(label, source, strict=True) if not own]
    assert sorted(set(of_one)) == sorted(int(LABELS[key]) for key in "abcdef")
    assert set(label) - set(of_one) <= {int(LABELS[key]) for key in ("x/g", "x/h")}


@pytest.mark.parametrize("first", [True, False])
def test_repetitions_and_the_first_version(folder, first):
    if first:
        path = _written(folder, {"val": {"datasets": [{"path": "one"}, {"path": "two"}]}})
        _, source, sources = _mixed(path, 4, split="val", epoch_size=4)
    else:
        entries = [{"path": "one"}, {"path": "two", "repetitions": 2}]
        path = _written(folder, {"val": {"blend_epochized": entries}})
        _, source, sources = _mixed(path, 6, split="val")
    share = 1 / 2 if first else 2 / 3
    assert sources["two"]["share"] == pytest.approx(share)
    assert source.count(1) == (2 if first else 4)


@pytest.mark.parametrize(
    ("splits", "error", "message"),
    [
        ({"val": {"blend": [{"path": "one"}]}}, ArgumentError, "has no split 'train'"),
        ({"train": {"join": []}}, SourceError, "'train' has join; expected one of"),
        ({"train": {"path": "one"}}, SourceError, "'train' has path; expected one of"),
        ({"train": []}, SourceError, "'train' has no list"),
        ({"train": {"blend": []}}, SourceError, "'blend' is no list of data sets"),
        ({"train": {"blend": [{"blend": []}]}}, SourceError, "is no data set with a path"),
        (
            {"train": {"blend": [{"path": "one", "subset": {"range": [0, 1]}}]}},
            SourceError,
            "has 'subset', which Penstock does not read",
        ),
        ({"train": {"blend": [{"path": "one"}] * 2}}, SourceError, "lists 'one' twice"),
        ({"train": {"blend": [{"path": "one", "weight": -1}]}}, ArgumentError, "is negative"),
        ([], SourceError, "has no 'splits'"),
    ],
)
def test_what_is_not_read_is_refused(folder, splits, error, message):
    with pytest.raises(error, match=message):
        _mixed(_written(folder, splits), 2)


def test_arguments_that_contradict_the_file(folder):
    path = _written(folder, {"train": {"blend": [{"path": "one"}]}})
    with pytest.raises(ArgumentError, match="has the shares, so leave out weights"):
        _mixed(path, 2, weights={"one": 1})
    with pytest.raises(ArgumentError, match="split goes with the path of a file"):
        fn.readers.mix({"a": fn.readers.file(files=[path])}, split="train")
    (folder / "all.yaml").write_text("{")
    with pytest.raises(SourceError, match=r"all\.yaml is damaged"):
        _mixed(path, 2)
