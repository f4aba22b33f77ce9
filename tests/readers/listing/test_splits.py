"""Splits and configurations of folders; the library `datasets` is the judge."""

import json
import logging
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from penstock import ArgumentError, SourceError
from penstock.readers.listing.splits import files_of_split, splits_of
from penstock.readers.parquet.source import open_parquet

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
ENDINGS = (".parquet", ".arrow")


def lay_out(root, *names, card=""):
    for number, name in enumerate(names):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table({"x": [number]}), root / name)
    if card:
        (root / "README.md").write_text(f"---\n{card}\n---\n# A set\n")
    return root


def found(root, config=""):
    splits = splits_of(Path(root), {}, ENDINGS, config)
    return {
        split: [str(Path(file).relative_to(root)) for file in files]
        for split, files in splits.items()
    }


def judged(root, config=None):
    """Return the values of each split as `datasets` reads them."""
    datasets = pytest.importorskip("datasets")
    datasets.disable_progress_bars()
    logging.getLogger("datasets").setLevel(logging.ERROR)
    cache = root.parent / "cache"
    loaded = datasets.load_dataset(str(root), config, cache_dir=str(cache))
    return {split: sorted(rows["x"]) for split, rows in loaded.items()}


def read(root, config="", **options):
    splits = splits_of(Path(root), {}, ENDINGS, config)
    values = {}
    for split in splits:
        source = open_parquet(
            [str(root)], ["x"], split=split, config=config, cache_bytes=1 << 20, **options
        )
        values[split] = sorted(source.read(np.arange(len(source)), np.empty)[0].tolist())
    return values


CONFIGS = """configs:
- config_name: en
  default: true
  data_files:
  - split: train
    path: en/train-*
  - split: extra
    path: ["en/more/*.parquet", "en/test-*.parquet"]
- config_name: de
  data_files: de/**/*.parquet
- config_name: fr
  data_dir: fr
- config_name: listed
  data_files:
  - en/train-0.parquet
  - "de/a/*"
"""
NAMES = [
    *("en/train-0.parquet", "en/train-1.parquet", "en/test-0.parquet", "en/more/a.parquet"),
    *("de/a/0.parquet", "de/b/c/1.parquet", "fr/0.parquet"),
]


@pytest.mark.parametrize("config", ["", "en", "de", "listed"])
def test_configurations_of_a_card(tmp_path, config):
    root = lay_out(tmp_path / "set", *NAMES, card=CONFIGS)
    assert read(root, config) == judged(root, config or None)


def test_a_configuration_by_folder(tmp_path):
    root = lay_out(tmp_path / "set", *NAMES, card=CONFIGS)
    assert found(root, "fr") == {"train": ["fr/0.parquet"]}
    with pytest.raises(ArgumentError, match="has no configuration 'dee'; did you mean 'de'"):
        found(root, "dee")


def test_several_configurations_without_a_default(tmp_path):
    card = CONFIGS.replace("  default: true\n", "")
    root = lay_out(tmp_path / "set", *NAMES, card=card)
    with pytest.raises(ArgumentError, match=r"the configurations en, de, fr, listed, which .*'de'"):
        found(root)


@pytest.mark.parametrize(
    "names",
    [
        ["data/train-00000-of-00001.parquet", "data/held_out-00000-of-00001.parquet"],
        ["train.parquet", "test.parquet"],
        ["train/a.parquet", "test/b.parquet"],
        ["data/train/a.parquet", "data/test/b.parquet"],
        ["my-train.parquet", "my-test.parquet"],
        ["train-1.parquet", "train_2.parquet"],
        ["a.parquet", "b.parquet"],
    ],
)
def test_names_tell_splits(tmp_path, names):
    root = lay_out(tmp_path / "set", *names)
    assert read(root) == judged(root)


@pytest.mark.parametrize("name", ["valid", "val", "dev", "validation"])
def test_other_words_for_splits(tmp_path, name):
    root = lay_out(tmp_path / "set", "train.parquet", f"{name}.parquet")
    (values,) = [values for split, values in judged(root).items() if split == "validation"]
    for word in ("validation", "valid", "val", "dev"):
        source = open_parquet([str(root)], ["x"], split=word, cache_bytes=1 << 20)
        assert source.read(np.arange(1), np.empty)[0].tolist() == values


def test_a_dataset_dict(tmp_path):
    datasets = pytest.importorskip("datasets")
    datasets.disable_progress_bars()
    rows = {"mine": datasets.Dataset.from_dict({"x": [1]})}
    rows["other"] = datasets.Dataset.from_dict({"x": [2]})
    datasets.DatasetDict(rows).save_to_disk(tmp_path / "set")
    assert read(tmp_path / "set") == {"mine": [1], "other": [2]}


def test_several_splits_are_told_with_rows_and_sizes(tmp_path):
    card = """dataset_info:
  splits:
  - name: train
    num_examples: 12345
configs:
- config_name: default
  data_files:
  - {split: train, path: train-*}
  - {split: test, path: test-*}"""
    root = lay_out(tmp_path / "set", "train-0.parquet", "test-0.parquet", card=card)
    size = (root / "train-0.parquet").stat().st_size
    told = rf"test \(1 file, {size} bytes\), train \(1 file, 12,345 rows, {size} bytes\)"
    with pytest.raises(ArgumentError, match=told):
        files_of_split(root, splits_of(root, {}, ENDINGS))


def test_files_that_a_card_lists_and_nobody_fetched(tmp_path):
    card = "configs:\n- data_files: [{split: train, path: a*}, {split: test, path: b*}]"
    root = lay_out(tmp_path / "set", "a.parquet", card=card)
    with pytest.raises(ArgumentError, match=r"belongs to the split 'test', .* lists b\*; fetch"):
        found(root)


def test_cards_lead_to_no_file_outside(tmp_path):
    lay_out(tmp_path, "secret.parquet")
    card = 'configs:\n- data_files: ["../secret.parquet", "https://a/b.parquet", "/etc/*"]'
    root = lay_out(tmp_path / "set", "a.parquet", card=card)
    assert found(root) == {}


@pytest.mark.parametrize(
    ("card", "told"),
    [
        ("configs: [a: b: c", "its YAML is damaged"),
        ("configs:\n- data_files: 7", "data_files is 7, not what the hub expects"),
        ("configs:\n- data_files: [{split: a, path: 7}]", "7 in data_files is no list of paths"),
        ("configs:\n- data_files: {train: [1]}", "in data_files is no list of paths"),
    ],
)
def test_damaged_cards(tmp_path, card, told):
    root = lay_out(tmp_path / "set", "a.parquet", card=card)
    with pytest.raises(SourceError, match=told):
        found(root)


@pytest.mark.parametrize("card", ["license: mit", "configs: 7", "configs:\n- 3", "- configs: a"])
def test_cards_without_configurations(tmp_path, card):
    root = lay_out(tmp_path / "set", "a.parquet", card=card)
    assert found(root) == {"train": ["a.parquet"]}


def test_random_cards_are_errors_or_splits(tmp_path):
    random = np.random.default_rng(1)
    values = [
        None,
        1,
        "a*",
        [],
        {},
        ["a*", 3],
        [["a"]],
        {"split": "x"},
        True,
        1.5,
        "**",
        "[",
        "../",
    ]
    for number in range(200):
        row = {
            name: values[random.integers(len(values))]
            for name in ("config_name", "data_files", "data_dir", "default")
        }
        root = tmp_path / str(number)
        lay_out(root, "a.parquet", card=f"configs: {json.dumps([row, row])}")
        try:
            seen = found(root)
        except (ArgumentError, SourceError) as error:
            seen = str(error)
        if isinstance(seen, str):
            assert str(root) in seen
        else:
            assert all(files == ["a.parquet"] for files in seen.values()), row


@pytest.mark.parametrize("place", ["config_name: *i", "data_files: *i", "data_dir: *i"])
def test_small_texts_that_stand_for_huge_values(tmp_path, place):
    levels = [f"{b}: &{b} [{', '.join([f'*{a}'] * 10)}]" for a, b in pairwise("abcdefghi")]
    lines = ["a: &a [x, x]", *levels, f"configs: [{{{place}}}]"]
    root = lay_out(tmp_path / "set", "a.parquet", card="\n".join(lines))
    with pytest.raises(SourceError, match=r"is no name|not what the hub expects|no list of paths"):
        found(root)
