"""The `input_cfg` of NeMo as the sources of a mixture."""

import json

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.engine.errors import ArgumentError, SourceError

from .. import shar_sets, tars

yaml = pytest.importorskip("yaml")
soundfile = pytest.importorskip("soundfile")

ARGUMENTS = {"read_sample_rate": False}


@pytest.fixture
def folder(tmp_path):
    """Manifests of 4 utterances each; those of "tarred" lie in two tar archives."""
    for name in ("en", "pl", "de"):
        entries = []
        for i in range(4):
            path = tmp_path / f"{name}{i}.wav"
            soundfile.write(path, np.zeros(800), 8000)
            entries.append({"audio_filepath": str(path), "duration": 0.1, "text": f"{name}{i}"})
        (tmp_path / f"{name}.json").write_text("\n".join(map(json.dumps, entries)))
    for shard in range(2):
        names = [f"t{shard}{i}.wav" for i in range(2)]
        content = (tmp_path / "en0.wav").read_bytes()
        tars.write(tmp_path / f"audio_{shard}.tar", tars.archive(dict.fromkeys(names, content)))
        entries = [
            {"audio_filepath": n, "duration": 0.1, "text": n[:3], "shard_id": shard} for n in names
        ]
        (tmp_path / f"manifest_{shard}.json").write_text("\n".join(map(json.dumps, entries)))
    return tmp_path


def _nemo(folder, name, **more):
    return {"type": "nemo", "manifest_filepath": str(folder / f"{name}.json"), **more}


def _tarred(folder, **more):
    return {
        "type": "nemo_tarred",
        "manifest_filepath": str(folder / "manifest__OP_0..1_CL_.json"),
        "tarred_audio_filepaths": str(folder / "audio__OP_0..1_CL_.tar"),
        **more,
    }


def _weighted(*names, **more):
    return {"type": "nemo_tarred", "manifest_filepath": [[name, 1] for name in names], **more}


def _mixed(folder, content, count, shape=(800,), **options):
    file = folder / "train.yaml"
    file.write_text(yaml.safe_dump(content))
    with Pipeline(count, 1) as pipe:
        outputs = fn.readers.mix(str(file), source_arguments=ARGUMENTS, name="mix", **options)
        pipe.set_outputs(*outputs)
        audio, text, source = pipe.run()
        assert set(audio.shape()) == {shape}
        texts = [bytes(row).decode() for row in text.rows()]
        return texts, source.as_array().tolist(), pipe.reader_meta("mix")["sources"]


def test_weights_of_groups_multiply(folder):
    group = {
        "type": "group",
        "weight": 0.5,
        "tags": {"task": "asr"},
        "input_cfg": [_nemo(folder, "pl", weight=30), _nemo(folder, "de", weight=10)],
    }
    content = {"input_cfg": [_tarred(folder, weight=0.5, tags={"lang": "en"}), group]}
    texts, source, sources = _mixed(folder, content, 16)
    assert [each["share"] for each in sources.values()] == [0.5, 0.375, 0.125]
    assert [source.count(i) for i in range(3)] == [8, 6, 2]
    assert {text[0] for text in texts} == {"t", "p", "d"}
    assert len(set(texts)) == 4 + 4 + 2


def test_shar_of_lhotse_beside_a_manifest(folder):
    soundfile.write(folder / "long.wav", np.zeros(16_000), 16_000)
    entry = {"audio_filepath": str(folder / "long.wav"), "duration": 1.0, "text": "long"}
    (folder / "long.json").write_text(json.dumps(entry))
    shar_sets.write(folder / "shar", [shar_sets.cut(0)], {"recording": shar_sets.pairs([0])})
    content = [_nemo(folder, "long"), {"type": "lhotse_shar", "shar_path": str(folder / "shar")}]
    texts, source, _ = _mixed(folder, content, 4, shape=(16_000,))
    assert sorted(texts) == ["long", "long", "word 0", "word 0"]
    assert sorted(source) == [0, 0, 1, 1]


def test_paths_of_one_entry_with_weights_are_sources(folder):
    paths = [[str(folder / f"{name}.json"), weight] for name, weight in (("en", 3), ("pl", 1))]
    several = {"type": "nemo", "manifest_filepath": paths, "weight": 0.5, "slice_length": 9}
    _, _, sources = _mixed(folder, [several, _nemo(folder, "de", weight=0.5)], 4)
    assert [each["share"] for each in sources.values()] == [0.375, 0.125, 0.5]


def test_archives_of_paths_with_weights(folder):
    more = {
        "weight": 1,
        "tarred_audio_filepaths": [[str(folder / f"audio_{i}.tar")] for i in (0, 1)],
    }
    names = [str(folder / f"manifest_{i}.json") for i in (0, 1)]
    texts, source, _ = _mixed(folder, [_weighted(*names, **more)], 4)
    pairs = sorted(zip(source, texts, strict=True))
    assert pairs == [(0, "t00"), (0, "t01"), (1, "t10"), (1, "t11")]


def test_paths_of_one_entry_without_weights_are_one_source(folder):
    paths = [[str(folder / "en.json")], [str(folder / "pl.json")]]
    _, _, sources = _mixed(folder, [{"type": "nemo", "manifest_filepath": paths}], 4)
    assert [each["samples"] for each in sources.values()] == [8]


@pytest.mark.parametrize(
    ("temperature", "shares"),
    [(0, [0.5, 0.25, 0.25]), (0.5, [0.75, 0.125, 0.125]), ([1, 0], [0.9, 0.05, 0.05])],
)
def test_temperatures_of_weights(folder, temperature, shares):
    inner = [_nemo(folder, "pl", weight=5), _nemo(folder, "de", weight=5)]
    group = {"type": "group", "weight": 1, "input_cfg": inner}
    content = {
        "input_cfg": [_nemo(folder, "en", weight=9), group],
        "reweight_temperature": temperature,
    }
    _, _, sources = _mixed(folder, content, 4)
    assert [each["share"] for each in sources.values()] == pytest.approx(shares)


def test_several_shar_data_sets_are_one_source(folder):
    for name in ("a", "b"):
        pairs = {"recording": shar_sets.pairs([0])}
        shar_sets.write(folder / name, [shar_sets.cut(0)], pairs)
    paths = [str(folder / name) for name in ("a", "b")]
    content = [{"type": "lhotse", "shar_path": paths, "cuts_path": "cuts.jsonl.gz"}]
    texts, source, _ = _mixed(folder, content, 2, shape=(16_000,))
    assert (texts, source) == (["word 0", "word 0"], [0, 0])
    content[0]["shar_path"] = [paths[0], str(folder / "en.json")]
    with pytest.raises(ArgumentError, match="need readers of their own"):
        _mixed(folder, content, 2)


def test_temperatures_of_too_few_levels(folder):
    group = {"type": "group", "weight": 1, "input_cfg": [_nemo(folder, "pl", weight=1)]}
    inner = {"type": "group", "weight": 1, "input_cfg": [group]}
    with pytest.raises(SourceError, match="has 2 numbers, and groups have more levels"):
        _mixed(folder, {"input_cfg": [inner], "reweight_temperature": [1, 2]}, 2)
    content = {"input_cfg": [_nemo(folder, "en", weight=0)], "reweight_temperature": 0.5}
    with pytest.raises(SourceError, match="needs weights above 0"):
        _mixed(folder, content, 2)


@pytest.mark.parametrize("weight", [4000, 1e-4])
def test_temperatures_beyond_numbers(folder, weight):
    content = [_nemo(folder, "en", weight=weight), _nemo(folder, "de", weight=1)]
    with pytest.raises(SourceError, match="reweight_temperature 100 makes a weight too"):
        _mixed(folder, {"input_cfg": content, "reweight_temperature": 100}, 2)


def test_keys_beside_the_list_are_arguments_or_refused(folder):
    soundfile.write(folder / "long.wav", np.zeros(1600), 8000)
    entry = {"audio_filepath": str(folder / "long.wav"), "duration": 0.2, "text": "long"}
    (folder / "long.json").write_text(json.dumps(entry))
    sources = [_nemo(folder, "en"), _nemo(folder, "long")]
    several = _nemo(folder, "en")
    several["manifest_filepath"] = [each["manifest_filepath"] for each in sources]
    batches = {"batch_duration": 360, "use_bucketing": True, "shuffle": True}
    filters = {"min_duration": 0.05, "max_duration": 0.15, "max_tps": float("inf"), "min_tps": -1}
    content = {"input_cfg": [several], "sample_rate": 16000, **batches, **filters}
    texts, _, sources = _mixed(folder, content, 4, shape=(1600,))
    assert sorted(texts) == ["en0", "en1", "en2", "en3"]
    assert [each["samples"] for each in sources.values()] == [4]
    for word, value in {
        "text_field": "answer",
        "max_tps": 20,
        "skip_missing_manifest_entries": True,
        "noise_path": "noise.json",
    }.items():
        with pytest.raises(SourceError, match=f"has {word} .* beside 'input_cfg'"):
            _mixed(folder, {**content, word: value}, 2)


def test_arguments_of_sources_go_before_those_of_the_file(folder):
    file = folder / "train.yaml"
    file.write_text(yaml.safe_dump({"input_cfg": [_nemo(folder, "en")], "sample_rate": 16000}))
    with Pipeline(1, 1) as pipe:
        outputs = fn.readers.mix(str(file), source_arguments={"sample_rate": 4000})
        pipe.set_outputs(outputs[0])
        assert pipe.run()[0].shape() == [(400,)]


def test_without_weights_all_sources_have_the_same_share(folder):
    (folder / "inner.yaml").write_text(yaml.safe_dump([_nemo(folder, "pl"), _nemo(folder, "de")]))
    group = {"type": "group", "input_cfg": str(folder / "inner.yaml")}
    _, _, sources = _mixed(folder, [_nemo(folder, "en"), group], 4)
    assert [each["share"] for each in sources.values()] == [0.5, 0.25, 0.25]


def test_a_manifest_that_comes_twice_has_the_sum_of_its_weights(folder):
    content = [_nemo(folder, n, weight=w) for n, w in (("en", 1), ("pl", 1), ("en", 2))]
    _, _, sources = _mixed(folder, content, 4)
    assert [each["share"] for each in sources.values()] == [0.75, 0.25]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            [{"type": "txt", "paths": "a.txt"}],
            "'txt': it has texts, and no audio",
        ),
        ([{"type": "share_gpt"}], "'share_gpt': it has conversations of several turns"),
        ([{"type": "mine"}], "no source of a type that Penstock reads"),
        ([{"type": "lhotse", "cuts_path": "cuts.jsonl.gz"}], "write the cuts as Shar"),
        ([{"type": "lhotse", "shar_path": {"cuts": ["a"]}}], "expected a path, or a list of"),
        ([{"type": "nemo", "manifest_filepath": [["a", 1], ["b"]]}], "or of .path, weight"),
        ([{"type": "nemo", "manifest_filepath": [["a", 1, 2]]}], "or of .path, weight"),
        (
            [_weighted("a", "b", tarred_audio_filepaths=["a.tar"])],
            "2 manifests with weights, and 'tarred_audio_filepaths' 1 paths",
        ),
        (
            {"input_cfg": [{"type": "nemo"}], "reweight_temperature": "warm"},
            "reweight_temperature is 'warm'; expected a number",
        ),
        ([{"type": "nemo"}], "'manifest_filepath' of a source of the type 'nemo' is None"),
        ([{"type": "nemo_tarred", "manifest_filepath": "a"}], "'tarred_audio_filepaths' of"),
        (
            [{"type": "nemo", "manifest_filepath": "a", "extra_fields": []}],
            "has 'extra_fields', which Penstock does not read",
        ),
        (
            [{"type": "nemo", "manifest_filepath": "a", "text_field": "answer"}],
            "fn.readers.nemo_asr reads 'text' alone",
        ),
        (
            [
                {"type": "nemo", "manifest_filepath": n, "weight": w}
                for n, w in (("a", 1), ("b", None))
            ],
            "a weight, or none of them",
        ),
        ({"input_cfg": []}, "is no list of sources, or is empty"),
        ([{"type": "group"}], "is no list of sources, or is empty"),
        ({"train_ds": {}}, "no 'input_cfg' of NeMo"),
    ],
)
def test_what_is_not_read_is_refused(folder, content, message):
    with pytest.raises(SourceError, match=message):
        _mixed(folder, content, 2)


def test_arguments_that_contradict_the_file(folder):
    with pytest.raises(ArgumentError, match="which has no splits"):
        _mixed(folder, [_nemo(folder, "en")], 2, split="train")
    with pytest.raises(ArgumentError, match="is negative"):
        _mixed(folder, [_nemo(folder, "en", weight=-1)], 2)
    with pytest.raises(ArgumentError, match="all are 0"):
        _mixed(folder, [_nemo(folder, "en", weight=0)], 2)


def test_a_file_that_names_itself(folder):
    group = {"type": "group", "input_cfg": str(folder / "train.yaml")}
    with pytest.raises(SourceError, match="more than 16 groups"):
        _mixed(folder, [group], 2)
