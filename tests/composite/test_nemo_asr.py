"""`fn.readers.nemo_asr` in pipelines."""

import json

import numpy as np
import pytest
import soundfile

from penstock import Pipeline, fn, types
from penstock.engine.errors import ArgumentError, DecodeError, SourceError

from ..readers.nemo.corpus import ENTRIES, SAMPLES, write_corpus, write_manifest, write_tarred
from ..sounds import encoded, speech_like


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("nemo") / "set"


@pytest.fixture(scope="module")
def manifest(folder):
    return write_corpus(folder)


def pipeline(batch_size, *, on_error="raise", checkpoint=None, exec_processes=False, **arguments):
    pipe = Pipeline(
        batch_size=batch_size,
        exec_processes=exec_processes,
        num_threads=2,
        on_error=on_error,
        enable_checkpointing=True,
        checkpoint=checkpoint,
    )
    with pipe:
        outputs = fn.readers.nemo_asr(**arguments)
        pipe.set_outputs(*(outputs if isinstance(outputs, list | tuple) else (outputs,)))
    return pipe


def first_batch(batch_size, **arguments):
    with pipeline(batch_size, **arguments) as pipe:
        return [[np.array(row) for row in output.as_cpu().rows()] for output in pipe.run()]


def test_outputs(manifest):
    audio, rates, texts, numbers = first_batch(6, manifest_filepaths=manifest, read_idxs=True)
    assert [row.shape for row in audio] == [(count,) for count in SAMPLES]
    assert [rate.item() for rate in rates] == [16000, 16000, 8000, 16000, 16000, 16000]
    assert rates[0].shape == ()
    assert [bytes(text).decode() for text in texts] == [e.get("text", "") for e in ENTRIES]
    assert [number.tolist() for number in numbers] == [[i] for i in range(6)]


def test_outputs_can_be_left_out(manifest):
    (audio,) = first_batch(
        6, manifest_filepaths=manifest, read_text=False, read_sample_rate=False, downmix=False
    )
    assert audio[0].shape == (4000, 1)
    audio, numbers = first_batch(
        6,
        manifest_filepaths=manifest,
        read_text=False,
        read_sample_rate=False,
        read_idxs=True,
        dtype=types.INT16,
        sample_rate=8000.0,
    )
    assert [len(row) for row in audio] == [2000, 4000, 4000, 2000, 2000, 800]
    assert audio[0].dtype == np.int16
    assert len(numbers) == 6


def test_windows_are_those_of_the_whole_file(manifest, folder):
    whole, *_ = first_batch(
        1, manifest_filepaths=write_manifest(folder / "whole.json", [{"audio_filepath": "a.wav"}])
    )
    audio, *_ = first_batch(6, manifest_filepaths=manifest)
    np.testing.assert_array_equal(audio[0], whole[0][:4000])
    np.testing.assert_array_equal(audio[1], whole[0][4000:12000])
    np.testing.assert_array_equal(audio[5], whole[0][14400:])


def test_archives_give_what_files_give(manifest, tmp_path):
    tarred, archives = write_tarred(tmp_path)
    wanted = first_batch(6, manifest_filepaths=manifest)
    found = first_batch(6, manifest_filepaths=tarred, tarred_audio_filepaths=archives)
    for found_column, wanted_column in zip(found, wanted, strict=True):
        for one, other in zip(found_column, wanted_column, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-6)  # mpg123 differs by rounding


def test_urls_give_what_files_give(manifest, folder, web, tmp_path):
    for path in folder.rglob("*"):
        if path.is_file():
            web.objects[f"set/{path.relative_to(folder)}"] = path.read_bytes()
    write_tarred(tmp_path)
    for path in tmp_path.iterdir():
        web.objects[path.name] = path.read_bytes()
    wanted = first_batch(6, manifest_filepaths=manifest)
    found = first_batch(6, manifest_filepaths=f"{web.url}/set/manifest.json")
    archived = first_batch(
        6,
        manifest_filepaths=f"{web.url}/tarred_audio_manifest.json",
        tarred_audio_filepaths=f"{web.url}/audio__OP_0..1_CL_.tar",
    )
    for columns in (found, archived):
        for column, wanted_column in zip(columns, wanted, strict=True):
            for one, other in zip(column, wanted_column, strict=True):
                np.testing.assert_allclose(one, other, atol=1e-6)


def test_a_manifest_behind_a_url_may_not_name_local_files(web, folder, manifest):
    del manifest
    web.objects["m.json"] = b'{"audio_filepath": "b.flac"}\n{"audio_filepath": "%b"}\n' % (
        str(folder / "b.flac").encode()
    )
    with pytest.raises(SourceError, match=r"m\.json, line 2: a list behind a URL may not name"):
        first_batch(1, manifest_filepaths=f"{web.url}/m.json")


def test_several_manifests_count_on(manifest):
    *_, numbers = first_batch(
        12, manifest_filepaths=[manifest, manifest], read_idxs=True, min_duration=0.2
    )
    assert [int(number[0]) for number in numbers[:10]] == list(range(10))


def test_entries_by_duration(manifest):
    audio, *_ = first_batch(6, manifest_filepaths=manifest, order="descending")
    lengths = [ENTRIES[i]["duration"] for i in (1, 2, 4, 0, 3, 5)]
    assert lengths == sorted(lengths, reverse=True)
    assert len(audio[0]) == 8000
    assert len(audio[5]) == 1600


@pytest.fixture(scope="module")
def lengths(tmp_path_factory):
    """A manifest of 40 files of 40 lengths, in random order."""
    folder = tmp_path_factory.mktemp("lengths")
    entries = []
    for i, length in enumerate(np.random.default_rng(2).permutation(40).tolist()):
        signal = speech_like(0.01 * (length + 1), 8000, seed=i)
        (folder / f"{i}.wav").write_bytes(encoded(signal, 8000, "WAV"))
        entries.append({"audio_filepath": f"{i}.wav", "duration": 0.01 * (length + 1)})
    return write_manifest(folder / "m.json", entries)


def bucketed(manifest, checkpoint=None, **shards):
    return pipeline(
        4,
        manifest_filepaths=manifest,
        bucket_size=8,
        random_shuffle=True,
        read_idxs=True,
        checkpoint=checkpoint,
        **shards,
    )


def batches(pipe, count):
    return [pipe.run() for _ in range(count)]


def indices(outputs):
    return [int(np.asarray(row)[0]) for batch in outputs for row in batch[3].as_cpu().rows()]


def test_a_batch_of_a_bucket_holds_similar_lengths(lengths):
    with bucketed(lengths) as pipe:
        epochs = [batches(pipe, 10) for _ in range(2)]
    for outputs in epochs:
        assert sorted(indices(outputs)) == list(range(40))
        for batch in outputs:
            sizes = [len(row) for row in batch[0].as_cpu().rows()]
            assert max(sizes) - min(sizes) <= 7 * 80
    assert indices(epochs[0]) != indices(epochs[1])


def test_buckets_resume_exactly_and_divide_evenly(lengths):
    with bucketed(lengths) as pipe:
        read = indices(batches(pipe, 3))
        checkpoint = pipe.checkpoint()
        rest = indices(batches(pipe, 7))
    with bucketed(lengths, checkpoint) as pipe:
        assert indices(batches(pipe, 7)) == rest
    shards = []
    for rank in range(2):
        with bucketed(lengths, checkpoint, num_shards=2, shard_id=rank) as pipe:
            shards.append(indices(batches(pipe, 4))[:14])
    assert sorted(read + shards[0] + shards[1]) == list(range(40))


def test_a_bad_entry_names_file_and_line(folder, manifest):
    del manifest
    bad = [ENTRIES[2], {"audio_filepath": "b.flac", "offset": 5.0, "duration": 1.0, "text": "x"}]
    path = write_manifest(folder / "bad.json", bad)
    with pytest.raises(DecodeError, match="starts at 5 s") as caught:
        first_batch(2, manifest_filepaths=path)
    assert any("b.flac (" in note and "bad.json, line 2" in note for note in caught.value.__notes__)
    audio, *_ = first_batch(2, manifest_filepaths=path, on_error="skip")
    assert [len(row) for row in audio] == [4000, 4000]


@pytest.mark.filterwarnings("ignore:.*their transcripts are empty")
def test_a_missing_file_is_an_error_of_its_sample(folder, manifest):
    del manifest
    path = write_manifest(folder / "gone.json", [ENTRIES[2], {"audio_filepath": "gone.wav"}])
    with pytest.raises(FileNotFoundError, match=r"gone\.wav") as caught:
        first_batch(2, manifest_filepaths=path)
    assert any("gone.json, line 2" in note for note in caught.value.__notes__)
    audio, *_ = first_batch(2, manifest_filepaths=path, on_error="replace")
    assert [len(row) for row in audio] == [4000, 4000]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"order": "longest"}, "'order' must be 'manifest', 'ascending' or 'descending'"),
        ({"bucket_size": 4}, "needs random_shuffle"),
        ({"bucket_size": 4, "random_shuffle": True, "shuffle_block": 2}, "takes the place"),
        ({"bucket_size": 0, "random_shuffle": True}, "at least 1"),
        ({"dtype": types.UINT8}, "FLOAT, INT16 or INT32"),
        ({"quality": 101.0}, "quality"),
    ],
)
def test_arguments_are_refused(manifest, arguments, message):
    with pytest.raises(ArgumentError, match=message):
        first_batch(2, manifest_filepaths=manifest, **arguments)


def test_a_bad_line_is_refused_when_the_pipeline_is_built(tmp_path):
    (tmp_path / "m.json").write_text(json.dumps({"audio_filepath": 1}))
    with pytest.raises(SourceError, match="line 1: 'audio_filepath' must be a string"):
        first_batch(2, manifest_filepaths=str(tmp_path / "m.json"))


def test_worker_processes_decode_the_same(manifest):
    wanted = first_batch(6, manifest_filepaths=manifest, sample_rate=8000.0)
    found = first_batch(6, manifest_filepaths=manifest, sample_rate=8000.0, exec_processes=True)
    for column, expected in zip(found, wanted, strict=True):
        for one, other in zip(column, expected, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-6)  # mpg123 differs by rounding


@pytest.fixture(scope="module")
def stereo(tmp_path_factory):
    """Two channels in one file, and each channel in a file of its own."""
    folder = tmp_path_factory.mktemp("stereo")
    left, right = speech_like(0.5, 16000, 1), speech_like(0.5, 16000, 2)
    for name, signal in (
        ("both.wav", np.concatenate([left, right], axis=1)),
        ("left.flac", left),
        ("right.wav", right),
    ):
        soundfile.write(folder / name, signal, 16000)
    return folder


@pytest.mark.parametrize("exec_processes", [False, True])
def test_channels_are_selected_and_joined(stereo, exec_processes):
    both, files = "both.wav", ["left.flac", "right.wav"]
    entries = [
        {"audio_filepath": both},
        {"audio_filepath": both, "channel_selector": 1},
        {"audio_filepath": both, "channel_selector": [1, 0], "offset": 0.1, "duration": 0.2},
        {"audio_filepath": both, "channel_selector": "average"},
        {"audio_filepath": files},
        {"audio_filepath": files, "channel_selector": 0},
    ]
    path = write_manifest(stereo / "channels.json", entries)
    arguments = {"manifest_filepaths": path, "downmix": False, "read_text": False}
    with pipeline(6, exec_processes=exec_processes, **arguments) as pipe:
        audio = [np.array(row) for row in pipe.run()[0].as_cpu().rows()]
    whole = audio[0]
    assert whole.shape == (8000, 2)
    np.testing.assert_array_equal(audio[1], whole[:, 1:])
    np.testing.assert_array_equal(audio[2], whole[1600:4800, ::-1])
    np.testing.assert_allclose(audio[3], whole.mean(axis=1, keepdims=True), atol=1e-7)
    np.testing.assert_allclose(audio[4], whole, atol=1e-4)  # FLAC and WAV round alike
    np.testing.assert_array_equal(audio[5], audio[4][:, :1])


def test_a_channel_that_is_not_there(stereo):
    entries = [{"audio_filepath": "both.wav", "channel_selector": 2}]
    path = write_manifest(stereo / "missing.json", entries)
    with pytest.raises(DecodeError, match="names channel 2, but the file has 2 channels"):
        first_batch(1, manifest_filepaths=path)


def test_files_of_one_entry_must_fit(stereo):
    (stereo / "short.wav").write_bytes(encoded(speech_like(0.25, 16000, 3), 16000, "WAV"))
    entries = [{"audio_filepath": ["left.flac", "short.wav"]}]
    path = write_manifest(stereo / "unequal.json", entries)
    with pytest.raises(DecodeError, match=r"short.wav has 4000 samples .* has 8000 at 16000 Hz"):
        first_batch(1, manifest_filepaths=path)
