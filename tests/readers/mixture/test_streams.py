"""Streams of MosaicML's streaming as the sources of a mixture."""

import json
from pathlib import Path

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.cli.mixture_file import sources_of
from penstock.engine.errors import ArgumentError, SourceError
from penstock.readers.mixture.streams import _References

from ..mds import sets

yaml = pytest.importorskip("yaml")
ARGUMENTS = {"columns": ["n", "text"]}


@pytest.fixture
def folder(tmp_path):
    for name in ("shards", "gz", "splits"):
        sets.put(name, tmp_path / name)
    return tmp_path


def _written(folder, content):
    file = folder / "streams.yaml"
    file.write_text(yaml.safe_dump(content))
    return str(file)


def _mixed(folder, streams, count, **options):
    path = _written(folder, {"streams": streams})
    with Pipeline(count, 1) as pipe:
        outputs = fn.readers.mix(path, source_arguments=ARGUMENTS, name="mix", **options)
        pipe.set_outputs(*outputs)
        n, text, source = pipe.run()
        for number, row in zip(n.as_array().ravel().tolist(), text.rows(), strict=True):
            assert bytes(row).decode() == f"{number:03d}" * 9
        counts = np.bincount(source.as_array()).tolist()
        return counts, pipe.epoch_size("mix"), pipe.reader_meta("mix")["sources"]


def test_proportions_are_relative(folder):
    web = {"remote": str(folder / "shards"), "local": "/cache", "proportion": 3, "keep_zip": True}
    code = {"local": str(folder / "splits"), "split": "val", "proportion": 1, "remote": None}
    counts, _, sources = _mixed(folder, {"web": web, "code": code}, 8)
    assert counts == [2, 6]  # YAML has sorted the names
    assert {name: each["share"] for name, each in sources.items()} == {"web": 0.75, "code": 0.25}


@pytest.mark.parametrize(
    ("own", "size"),
    [({}, 12 + 9), ({"repeat": 2}, 24 + 9), ({"repeat": 0.5}, 6 + 9), ({"choose": 5}, 5 + 9)],
)
def test_the_other_numbers(folder, own, size):
    streams = {"a": {"remote": str(folder / "shards"), **own}, "b": {"local": str(folder / "gz")}}
    assert _mixed(folder, streams, 4)[1] == size


def test_a_list_and_a_split_for_all(folder):
    streams = [{"local": str(folder / "splits"), "choose": 2}]
    assert _mixed(folder, streams, 2, split="train")[1] == 2
    assert _mixed(folder, streams, 2, split="val")[1] == 2
    with pytest.raises(ArgumentError, match="holds the splits train, val"):
        _mixed(folder, streams, 2)


def test_the_command_prints_the_sources(folder):
    streams = {"a": {"remote": str(folder / "shards")}, "b": {"local": str(folder / "gz")}}
    sources = sources_of(_written(folder, {"streams": streams}), None)
    assert [each["samples"] for each in sources.values()] == [12, 9]


def _trained(dataset, **more):
    """Return what a file of LLM Foundry has, as its `scripts/train/yamls` do."""
    loader = {"name": "text", "dataset": dataset, "drop_last": True, "num_workers": 8}
    return {
        "train_loader": loader,
        "model": {"name": "mpt_causal_lm"},
        "max_duration": "1ep",
        **more,
    }


def test_the_streams_of_a_whole_training(folder):
    streams = {
        "web": {"remote": "${variables.root}/shards", "local": "/cache", "proportion": 3},
        "code": {"local": "${parts}", "split": "val", "proportion": "${variables.one}"},
    }
    dataset = {"streams": streams, "epoch_size": 20, "shuffle": True, "max_seq_len": 2048}
    variables = {"root": str(folder), "one": 1}
    content = _trained(dataset, variables=variables, parts="${variables.root}/splits")
    path = _written(folder, content)
    with Pipeline(8, 1) as pipe:
        *fields, source = fn.readers.mix(path, source_arguments=ARGUMENTS, name="mix")
        pipe.set_outputs(*fields, source)
        assert pipe.epoch_size("mix") == 20
        assert np.bincount(pipe.run()[2].as_array()).tolist() == [2, 6]
    with Pipeline(8, 1) as pipe:
        outputs = fn.readers.mix(path, source_arguments=ARGUMENTS, name="mix", epoch_size=40)
        pipe.set_outputs(*outputs)
        assert pipe.epoch_size("mix") == 40
    assert [each["samples"] for each in sources_of(path, None).values()] == [2, 12]


def test_a_training_on_one_data_set(folder):
    dataset = {"local": str(folder / "splits"), "remote": None, "split": "train", "shuffle": True}
    path = _written(folder, _trained(dataset, eval_loader={"dataset": {}}))
    for split, size in ((None, 5), ("val", 2)):
        with Pipeline(1, 1) as pipe:
            outputs = fn.readers.mix(path, split=split, source_arguments=ARGUMENTS, name="mix")
            pipe.set_outputs(*outputs)
            assert pipe.epoch_size("mix") == size


@pytest.mark.parametrize(
    ("content", "size"),
    [
        # A reference may name mappings, and these have references of their own.
        (
            {
                **_trained("${data}"),
                "data": {"streams": "${variables.all}"},
                "variables": {"all": {"a": {"remote": "${root}/${variables.name}"}}, "name": "gz"},
            },
            9,
        ),
        ({"train_loader": "${loader}", "loader": {"dataset": {"local": "${root}/gz"}}}, 9),
        # A dot is the mapping around the reference, and further dots are those around it.
        (_trained({"local": "${...root}/gz", "remote": "${.local}"}), 9),
        (_trained({"folder": "${root}", "streams": {"a": {"local": "${...folder}/gz"}}}), 9),
        (_trained({"local": "${paths.${which}}"}, paths={"a": "${root}/gz"}, which="a"), 9),
        # As in streaming, an empty text is none.
        (_trained({"local": "${root}/splits", "remote": "", "split": "val"}), 2),
        (
            _trained({"split": "val", "streams": {"a": {"local": "${root}/splits", "split": ""}}}),
            2,
        ),
        (_trained({"local": "${root}/gz", "streams": {}, "batching_method": "stratified"}), 9),
    ],
)
def test_references_and_empty_values_of_a_training(folder, content, size):
    path = _written(folder, {**content, "root": str(folder)})
    with Pipeline(1, 1) as pipe:
        pipe.set_outputs(*fn.readers.mix(path, source_arguments=ARGUMENTS, name="mix"))
        assert pipe.epoch_size("mix") == size


PRETRAINING = """
variables:
  data_local: ROOT/splits
  data_remote:  # If blank, files must be present in data_local
  max_seq_len: 2048
  global_seed: 17
  run_name:  # If left blank, will be read from env var $RUN_NAME
max_seq_len: ${variables.max_seq_len}
run_name: ${variables.run_name}
train_loader:
  name: text
  dataset:
    local: ${variables.data_local}
    remote: ${variables.data_remote}
    split: train
    shuffle: true
    max_seq_len: ${variables.max_seq_len}
    shuffle_seed: ${variables.global_seed}
  drop_last: true
  num_workers: 8
optimizer: {name: decoupled_adamw, lr: 6.0e-4, betas: [0.9, 0.95]}
max_duration: 4800ba  # ~ 2.5B tokens
loggers: {wandb: {project: "${oc.env:WANDB_PROJECT}"}}
"""
FINETUNING = """
variables: {data_local: /tmp/cache, data_remote: ROOT/shards}
train_loader: &train_loader
  name: finetuning
  dataset: &train_data
    streams:
      my_data: {remote: "${variables.data_remote}", local: "${variables.data_local}", split: null}
    shuffle: true
    packing_ratio: auto
    decoder_only_format: true
eval_loader:
  <<: *train_loader
  dataset: {<<: *train_data, shuffle: false}
"""
BLEND = """
variables:
  root: ROOT
  seq: 8192
  cache: &cache {local: /tmp/cache, keep_zip: false, download_retry: 2}
train_loader:
  name: text
  dataset:
    epoch_size: 40
    max_seq_len: ${variables.seq}
    batching_method: random
    streams:
      web: {<<: *cache, remote: "${variables.root}/shards", proportion: 0.75}
      code: {<<: *cache, remote: "${variables.root}/splits", split: val, proportion: 0.25}
"""


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        (PRETRAINING, {"train": 5}),
        (FINETUNING, {"my_data": 12}),
        (BLEND, {"web": 30, "code": 10}),
    ],
)
def test_files_of_llm_foundry(folder, text, entries):
    path = folder / "train.yaml"
    path.write_text(text.replace("ROOT", str(folder)))
    size = sum(entries.values())
    with Pipeline(size, 1) as pipe:
        pipe.set_outputs(*fn.readers.mix(str(path), source_arguments=ARGUMENTS, name="mix"))
        assert pipe.epoch_size("mix") == size
        pipe.run()
        sources = pipe.reader_meta("mix")["sources"]
    assert {name: round(each["share"] * size) for name, each in sources.items()} == entries


def test_a_key_that_comes_twice_is_refused(folder):
    path = folder / "twice.yaml"
    path.write_text("streams:\n  a: {remote: b}\n  a: {remote: c}\n")
    with pytest.raises(SourceError, match="line 3: the key 'a' comes twice"), Pipeline(2, 1):
        fn.readers.mix(str(path), source_arguments=ARGUMENTS)
    own = f"&own {{local: {folder / 'gz'}, split: ''}}"
    path.write_text(f"common: {own}\ntrain_loader: {{dataset: {{<<: *own, split: null}}}}\n")
    with Pipeline(2, 1) as pipe:
        pipe.set_outputs(*fn.readers.mix(str(path), source_arguments=ARGUMENTS, name="mix"))
        assert pipe.epoch_size("mix") == 9


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            _trained({"hf_name": "tatsu-lab/alpaca"}),
            "has neither 'streams', nor 'remote' or 'local'",
        ),
        ({"train_loader": {"name": "text"}}, "'train_loader' has no 'dataset'"),
        (_trained({"local": "${data}"}), r"\$\{data\} refers to nothing in this file"),
        (_trained({"local": "${oc.env:HOME}/a"}), "calls a resolver of OmegaConf"),
        (_trained({"local": "${....a}"}), "refers to nothing in this file"),
        (_trained({"local": "${model}/a"}), r"\$\{model\} in '\$\{model\}/a' is no text"),
        (_trained({"streams": "${a}"}, a={"b": "${a}"}), "refers to itself"),
        (
            _trained({"local": "a", "sampling_method": "fixed"}),
            "has sampling_method 'fixed', which Penstock does not do",
        ),
        (_trained({"local": "a", "batching_method": "per_stream"}), "has batching_method"),
        (_trained({"local": "a", "hf_name": "json"}), "has hf_name 'json'"),
        (
            _trained({"local": "a", "streams": {"b": {"local": "c"}}}),
            "has 'streams', and 'local' beside them",
        ),
        ({"eval_loader": {}}, "no 'train_loader' of LLM Foundry"),
        (_trained({"local": "${a}"}, a="${a}"), "refers to itself"),
        (_trained({"local": "a", "epoch_size": 3}), "has epoch_size, and its streams have no"),
        ({"streams": {}}, "'streams' names no streams"),
        ({"streams": "a"}, "'streams' names no streams"),
        ({"streams": {"a": "b"}}, "stream 'a' is 'b', no mapping"),
        ({"streams": {"a": {"split": "train"}}}, "'a' has neither 'remote' nor 'local'"),
        ({"streams": {"a": {"remote": 3}}}, "neither 'remote' nor 'local' with a path"),
        (
            {"streams": {"a": {"remote": "b", "samples": 3}}},
            "has 'samples', which Penstock does not",
        ),
        ({"streams": {"a": {"remote": "b"}}, "shuffle": True}, "has 'shuffle' beside 'streams'"),
        (
            {"streams": {"a": {"remote": "b", "repeat": 1, "choose": 2}}},
            "has choose and repeat; give its streams the same one",
        ),
        (
            {"streams": {"a": {"remote": "b", "repeat": 1}, "c": {"remote": "d", "proportion": 1}}},
            "has proportion and repeat; give its streams",
        ),
        (
            {"streams": {"a": {"remote": "b", "proportion": 1}, "c": {"remote": "d"}}},
            "the stream 'c' has no 'proportion', and others have one",
        ),
        ({"stream": {}}, "no 'streams' of MosaicML"),
    ],
)
def test_what_is_not_read_is_refused(folder, content, message):
    path = _written(folder, content)
    with pytest.raises(SourceError, match=message), Pipeline(2, 1):
        fn.readers.mix(path, source_arguments=ARGUMENTS)


def test_numbers_that_are_none(folder):
    streams = {"a": {"remote": str(folder / "shards"), "proportion": -1}}
    with pytest.raises(ArgumentError, match="is negative"):
        _mixed(folder, streams, 2)


def test_references_are_those_of_omegaconf():
    """`references/make.py` has asked OmegaConf itself."""
    pairs = json.loads((Path(__file__).parent / "references" / "resolved.json").read_text())
    assert len(pairs) == 150
    for document, wanted in pairs:
        assert _References("file", document).resolved(document, ()) == wanted, document
