"""`fn.readers.mix` on real files: shares, sources, errors, checkpoints, and other worlds."""

from __future__ import annotations

import json
from functools import partial

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.engine.errors import ArgumentError, CheckpointError, SourceError
from penstock.plugin.base_iterator import BaseIterator
from penstock.testing import made

SIZES = {"hand": 20, "web": 50, "drawn": 7}
WEIGHTS = {"hand": 0.6, "web": 0.3, "drawn": 0.1}


class _Lists(BaseIterator[list]):
    def convert(self, name, output, count):
        return [output.at(i).tolist() for i in range(count)]


@pytest.fixture
def files(tmp_path):
    named = {}
    for name, count in SIZES.items():
        (tmp_path / name).mkdir()
        for i in range(count):
            (tmp_path / name / f"{i:03}").write_bytes(f"{name} {i}".encode())
        named[name] = [str(tmp_path / name / f"{i:03}") for i in range(count)]
    return named


def _pipe(files, batch_size=4, checkpoint=None, names=tuple(SIZES), on_error="raise", **options):
    pipe = Pipeline(batch_size=batch_size, num_threads=1, checkpoint=checkpoint, on_error=on_error)
    with pipe:
        sources = {name: fn.readers.file(files=files[name]) for name in names}
        data, _, source = fn.readers.mix(sources, name="train", **options)
        pipe.set_outputs(data, source)
    return pipe


def _read(pipe, batches):
    texts = []
    for _ in range(batches):
        data, source = pipe.run()
        names = [*pipe.reader_meta("train")["sources"]]
        rows = [bytes(row).decode() for row in data.rows()]
        assert [row.split()[0] for row in rows] == [names[i] for i in source.as_array()]
        texts += rows
    return texts


def test_batches_have_their_shares(files):
    with _pipe(files, 10, weights=WEIGHTS, random_shuffle=True) as pipe:
        for _ in range(20):
            counts = np.bincount(pipe.run()[1].as_array(), minlength=3)
            assert np.abs(counts - [6, 3, 1]).max() < 2
        meta = pipe.reader_meta("train")
    assert meta["epoch_size"] == 167
    assert meta["sources"]["hand"]["entries"] >= 120  # those that are read ahead count, too
    assert meta["sources"]["hand"]["epochs"] == meta["sources"]["hand"]["entries"] / 20
    assert meta["sources"]["web"]["given"] == pytest.approx(0.3, abs=0.01)


def test_without_numbers_each_sample_comes_once(files):
    with _pipe(files, 11, random_shuffle=True) as pipe:
        assert sorted(_read(pipe, 7)) == sorted(
            f"{name} {i}" for name, size in SIZES.items() for i in range(size)
        )


def test_repeats_choice_and_numbers_of_a_batch(files):
    with _pipe(files, 1, repeats={"hand": 0.5, "drawn": 2}) as pipe:
        assert pipe.epoch_size("train") == 10 + 50 + 14
    with _pipe(files, 1, choose={"web": 5}) as pipe:
        assert pipe.epoch_size("train") == 20 + 5 + 7
    with _pipe(files, 6, per_batch=[3, 2, 1]) as pipe:
        for _ in range(30):
            assert np.bincount(pipe.run()[1].as_array()).tolist() == [3, 2, 1]


def test_another_world_goes_on_with_each_sample_once(files):
    texts = []
    for rank in range(3):
        shard = {"shard_id": rank, "num_shards": 3}
        with _pipe(files, 4, random_shuffle=True, **shard) as pipe:
            texts += _read(pipe, 3)
            saved = pipe.checkpoint()
    assert len(saved) < 1024
    with _pipe(files, 41, saved, random_shuffle=True) as pipe:
        texts += _read(pipe, 1)
    assert len(set(texts)) == len(texts) == 77


def test_weights_are_changed_between_two_steps(files):
    with _pipe(files, 4, weights=WEIGHTS, random_shuffle=True) as pipe:
        texts = _read(pipe, 3)
        pipe.set_weights("train", {"hand": 0.1, "web": 0.1, "drawn": 0.8})
        texts += _read(pipe, 3)
        saved = pipe.checkpoint()
        rest = _read(pipe, 4)
    for name, size in SIZES.items():
        own = [text for text in texts if text.startswith(name)][:size]
        assert len(set(own)) == len(own)
    with _pipe(files, 4, saved, weights=WEIGHTS, random_shuffle=True) as pipe:
        assert _read(pipe, 4) == rest  # what was set holds on
    with (
        _pipe(files, 10, saved, weights={"hand": 1, "web": 0, "drawn": 0}) as pipe,
        pytest.raises(CheckpointError, match="shuffle=True"),
    ):
        pipe.run()


def test_a_source_is_parked_and_brought_back(files):
    with _pipe(files, 10, random_shuffle=True) as pipe:
        texts = _read(pipe, 2)
        saved = pipe.checkpoint()
    with _pipe(files, 10, saved, names=("web",), random_shuffle=True) as pipe:
        texts += _read(pipe, 2)
        saved = pipe.checkpoint()
    assert "parked" in json.loads(saved)["inputs"]["train"]
    with _pipe(files, 10, saved, random_shuffle=True) as pipe:
        texts += _read(pipe, 2)
    for name, size in SIZES.items():
        own = [text for text in texts if text.startswith(name)][:size]
        assert len(set(own)) == len(own)


def test_a_source_of_another_size_needs_a_restart(files):
    with _pipe(files) as pipe:
        pipe.run()
        saved = pipe.checkpoint()
    fewer = {**files, "web": files["web"][:40]}
    with (
        _pipe(fewer, checkpoint=saved) as pipe,
        pytest.raises(CheckpointError, match=r"'web' had 50 samples .* has 40 now"),
    ):
        pipe.run()
    with _pipe(fewer, checkpoint=saved, restart=["web"]) as pipe:
        pipe.run()


@pytest.mark.parametrize(
    ("padded", "policy", "rows"),
    [(False, "fill", 84), (True, "partial", None), (True, "drop", 80), (True, "fill", 84)],
)
def test_epochs_of_iterators(files, padded, policy, rows):
    shards = [{"shard_id": rank, "num_shards": 2} for rank in range(2)]
    pipes = [
        _pipe(files, weights=WEIGHTS, random_shuffle=True, pad_last_batch=padded, **shard)
        for shard in shards
    ]
    loops = [
        _Lists(pipe, ["data", "source"], reader_name="train", last_batch_policy=policy)
        for pipe in pipes
    ]
    for _ in range(3):
        assert len({len(loop) for loop in loops}) == 1
        counts = [[len(batch[0]["source"]) for batch in loop] for loop in loops]
        assert len(counts[0]) == len(counts[1])
        assert [sum(each) for each in counts] == ([84, 83] if rows is None else [rows, rows])
    next(iter(loops[0]))
    state = loops[0].state_dict()
    with _pipe(files, 3, weights=WEIGHTS, random_shuffle=True, pad_last_batch=padded) as pipe:
        loop = _Lists(pipe, ["data", "source"], reader_name="train", last_batch_policy=policy)
        loop.load_state_dict(state)
        assert (loop.epoch, loop.step) == (3, 1)
        assert len(loop) - 1 == sum(1 for _ in loop)
        loop.reshard(1, 3)
        loop.set_weights({"hand": 1, "web": 1, "drawn": 1})
        assert len(loop) == sum(1 for _ in loop)
    for loop in loops:
        loop.close()


def test_a_partial_batch_needs_padding(files):
    with _pipe(files) as pipe, pytest.raises(ArgumentError, match="pad_last_batch=True"):
        _Lists(pipe, ["data", "source"], reader_name="train", last_batch_policy="partial")


def test_mixtures_of_mixtures_and_of_balances(files):
    with Pipeline(batch_size=20, num_threads=1) as pipe:
        inner = fn.readers.mix(
            {
                "hand": fn.readers.file(files=files["hand"]),
                "web": fn.readers.file(files=files["web"]),
            },
            weights=[3, 1],
        )
        balanced = fn.readers.balance(
            fn.readers.file(files=files["drawn"], labels=[0, 0, 0, 0, 0, 0, 1])
        )
        data, _, source = fn.readers.mix(
            {"photos": inner, "drawn": balanced[:2]}, weights=[0.8, 0.2], name="train"
        )
        pipe.set_outputs(data, source)
        counts = np.zeros(4)
        for _ in range(20):
            counts += np.bincount(pipe.run()[1].as_array(), minlength=4)
        names = [*pipe.reader_meta("train")["sources"]]
    assert names == ["photos/hand", "photos/web", "drawn/0", "drawn/1"]
    assert np.abs(counts / counts.sum() - [0.6, 0.2, 0.1, 0.1]).max() < 0.01


def test_outputs_are_matched_by_name(files):
    with Pipeline(batch_size=2, num_threads=1) as pipe:
        data, label = fn.readers.file(files=files["hand"], labels=[7] * 20)
        other, number = fn.readers.file(files=files["web"], labels=[9] * 50)
        data, label, _ = fn.readers.mix(
            {"a": {"data": data, "label": label}, "b": {"label": number, "data": other}},
            weights=[1, 1],
        )
        pipe.set_outputs(data, label)
        data, label = pipe.run()
    assert [bytes(row).decode() for row in data.rows()] == ["hand 0", "web 0"]
    assert label.as_array().tolist() == [[7], [9]]


def test_readers_of_other_formats(files, tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    table = pa.table({"data": [f"rows {i}".encode() for i in range(9)]})
    pq.write_table(table, tmp_path / "rows.parquet")
    with Pipeline(batch_size=6, num_threads=1) as pipe:
        rows = fn.readers.parquet(path=str(tmp_path / "rows.parquet"), columns=["data"])
        data, _ = fn.readers.file(files=files["hand"], indices=[3, 5])
        mixed, source = fn.readers.mix({"rows": rows, "files": data}, weights=[1, 1])
        pipe.set_outputs(mixed, source)
        mixed, source = pipe.run()
    texts = [bytes(row).decode() for row in mixed.rows()]
    assert texts == ["rows 0", "hand 3", "rows 1", "hand 5", "rows 2", "hand 3"]


def test_arrays_of_another_type_are_bad_samples(tmp_path):
    for i in range(4):
        np.save(tmp_path / f"a{i}.npy", np.full(3, i, np.float32))
        np.save(tmp_path / f"b{i}.npy", np.full(3, i, np.float64))
    with Pipeline(batch_size=4, num_threads=1) as pipe:
        sources = {
            name: fn.readers.numpy(files=[str(tmp_path / f"{name}{i}.npy") for i in range(4)])
            for name in "ab"
        }
        pipe.set_outputs(fn.readers.mix(sources)[0])
        with pytest.raises(Exception, match="the samples of a batch must agree"):
            pipe.run()


def test_a_replacement_is_of_the_same_source(files, tmp_path):
    (tmp_path / "hand" / "003").unlink()
    with _pipe(files, 8, on_error="skip", weights=[1, 1, 1]) as pipe:
        for _ in range(4):
            _read(pipe, 1)
        assert pipe.reader_meta("train")["sources"]["hand"]["bad"] == 1
        assert "bad samples of 'hand'" in str(pipe.stats())


@pytest.mark.parametrize("on_error", ["skip", "replace"])
def test_a_rotten_source_ends_the_run(files, tmp_path, on_error):
    for i in range(10):
        (tmp_path / "hand" / f"{i:03}").unlink()
    options = {"weights": [1, 1, 1], "max_bad": {"hand": 0.1}}
    with (
        _pipe(files, 9, on_error=on_error, **options) as pipe,
        pytest.raises(SourceError, match=r"of the source 'hand' were bad"),
    ):
        _ = [pipe.run() for _ in range(9)]


@pytest.mark.parametrize("on_error", ["skip", "replace"])
def test_samples_that_no_operator_takes_are_bad(tmp_path, on_error):
    for name in ("hand", "web"):
        (tmp_path / f"{name}.jpg").write_bytes(b"rotten" if name == "web" else made.jpeg(3))
    with Pipeline(batch_size=4, num_threads=1, on_error=on_error) as pipe:
        sources = {
            name: fn.readers.file(files=[str(tmp_path / f"{name}.jpg")] * 4)
            for name in ("hand", "web")
        }
        data, *_ = fn.readers.mix(sources, max_bad={"web": 0.5}, name="train")
        pipe.set_outputs(fn.decoders.image(data))
        pipe.run()
        assert pipe.reader_meta("train")["sources"]["web"]["bad"] >= 2
        with pytest.raises(SourceError, match=r"of the source 'web' were bad"):
            _ = [pipe.run() for _ in range(8)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weights": [1, 1]}, "a number for each of the 3 sources"),
        ({"weights": {"hand": 1}}, "no number for the source 'web'"),
        ({"weights": {**WEIGHTS, "wep": 1}}, "did you mean 'web'"),
        ({"weights": [1, 1, -1]}, "'drawn' is negative"),
        ({"weights": [0, 0, 0]}, "all are 0"),
        ({"weights": WEIGHTS, "repeats": WEIGHTS}, "not weights and repeats"),
        ({"per_batch": [1, 1, 1]}, "are 3 samples, but a batch has 4"),
        ({"repeats": {"hand": 2}, "epoch_size": 5}, "epoch_size goes with weights"),
        ({"max_bad": {"wep": 1}}, "max_bad: there is no source"),
        ({"max_bad": {"hand/1": 1}}, "max_bad: there is no source"),
        ({"stick_to_shard": True}, "stick_to_shard cannot be obeyed: all ranks share one order"),
        ({"shuffle_after_epoch": True}, "cannot be obeyed: give random_shuffle"),
        ({"indices": np.arange(3)}, "indices cannot be obeyed: give it to the readers"),
        ({"restart": ["x"]}, "restart: there is no source 'x'"),
        ({"storage_options": {"anon": True}}, "give it to the readers that are its sources; to"),
    ],
)
def test_wrong_arguments_are_refused(files, options, message):
    with pytest.raises(ArgumentError, match=message), _pipe(files, **options) as pipe:
        pipe.run()


def _mixed(value):
    with Pipeline(batch_size=2, num_threads=1) as pipe:
        pipe.set_outputs(*fn.readers.mix({"a": value()}))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (lambda: 5, "must be what one reader has returned"),
        (
            lambda: fn.readers.file(files=["x"], random_shuffle=True),
            "random_shuffle, which fn.readers.mix decides: give it to fn.readers.mix",
        ),
        (
            lambda: fn.readers.file(files=["x"], stick_to_shard=True),
            "stick_to_shard, which cannot be obeyed: all ranks share one order",
        ),
        (
            lambda: fn.decoders.image(fn.readers.file(files=["x"])[0]),
            "fn.decoders.image came after the reader$",
        ),
        (lambda: fn.random.uniform(), "comes from 0 readers"),
        (lambda: [fn.readers.file(files=["x"])[0], fn.readers.file(files=["x"])[0]], "2 readers"),
    ],
)
def test_what_is_no_source(value, message):
    with pytest.raises(ArgumentError, match=message):
        _mixed(value)


def test_what_an_outer_mixture_would_leave_without_effect_is_refused(files):
    def inner(**options):
        return fn.readers.mix({"hand": fn.readers.file(files=files["hand"])}, **options)

    with Pipeline(2, 1) as pipe:
        with pytest.raises(ArgumentError, match=r"max_bad, which fn\.readers"):
            fn.readers.mix({"a": inner(max_bad={"hand": 0.5})})
        whole = inner(weights=[1], epoch_size=9)
        with pytest.raises(ArgumentError, match="'a' has epoch_size, but weights"):
            fn.readers.mix({"a": whole}, weights=[1])
        pipe.set_outputs(*fn.readers.mix({"a": whole}, repeats={"a": 2}, name="train"))
        assert pipe.epoch_size("train") == 18


def test_arguments_of_a_files_readers_that_the_mixture_decides_are_refused(tmp_path):
    text = "splits: {train: {blend: [{path: a, weight: 1}]}}"
    (tmp_path / "mixed.yaml").write_text(text)
    with Pipeline(2, 1), pytest.raises(ArgumentError, match=r"random_shuffle, which fn\.readers"):
        fn.readers.mix(
            str(tmp_path / "mixed.yaml"),
            source_arguments={"ext": ["jpg"], "random_shuffle": True},
        )


def test_sources_with_other_outputs_are_refused(files):
    with Pipeline(2, 1):
        data = fn.readers.file(files=files["hand"])
        with pytest.raises(ArgumentError, match="'b' has 1 outputs, and 'a' has 2"):
            fn.readers.mix({"a": data, "b": data[0]})
    with Pipeline(2, 1) as pipe:
        data = fn.readers.file(files=files["hand"])
        pipe.set_outputs(*fn.readers.mix({"a": data[0], "b": data[1]}))
        with pytest.raises(ArgumentError, match="output 0 of the source 'b' is of int32"):
            pipe.run()


def test_other_readers_have_no_weights(files):
    with Pipeline(batch_size=2, num_threads=1) as pipe:
        pipe.set_outputs(*fn.readers.file(files=files["hand"], name="plain"))
        with pytest.raises(ArgumentError, match="mixes no sources"):
            pipe.set_weights("plain", {})
        with pytest.raises(ArgumentError, match="no reader named 'train'"):
            pipe.set_weights("train", {})
        assert pipe.shard_sizes("plain", 0) is None


def test_a_stored_pipeline_has_its_sources(files):
    with _pipe(files, weights=WEIGHTS) as pipe:
        text = pipe.serialize()
        expected = _read(pipe, 2)
    with Pipeline.deserialize(text) as pipe:
        assert _read(pipe, 2) == expected


def _classes(tmp_path, readers, **options):
    for folder in ("a/cat", "a/cup", "b/cat", "b/dog", "c/cat", "c/cup", "c/truck"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / "0.jpg").write_text(folder)
    with Pipeline(batch_size=7, num_threads=1) as pipe:
        sources = {name: reader(str(tmp_path / name)) for name, reader in readers.items()}
        outputs = fn.readers.mix(sources, name="train")
        pipe.set_outputs(*outputs)
        named = (
            [
                (bytes(row).decode().partition("/")[2], int(label[0]))
                for row, label in zip(*(output.rows() for output in pipe.run()[:2]), strict=True)
            ]
            if len(outputs) == 3
            else []
        )
        return named, pipe.class_names()["train"]


def _folders(root, **options):
    return fn.readers.file(file_root=root, **options)


def test_a_number_of_two_classes_is_told(tmp_path):
    with pytest.warns(RuntimeWarning, match=r"1 in output 1 is 'cup' in .* 'a', and 'dog' in 'b'"):
        _, names = _classes(tmp_path, {"a": _folders, "c": _folders, "b": _folders})
    assert names == {}


def test_classes_on_which_sources_agree(tmp_path, recwarn):
    _, names = _classes(tmp_path, {"a": _folders, "c": _folders})
    assert names == {"label": ("cat", "cup", "truck")}
    order = ["dog", "cup", "truck", "cat"]
    numbered = partial(_folders, class_names=order)
    labels, names = _classes(tmp_path, {"a": numbered, "b": numbered, "c": numbered})
    assert names == {"label": tuple(order)}
    assert all(order[label] == name for name, label in labels)
    balanced = lambda root: fn.readers.balance(_folders(root))[:2]  # noqa: E731
    _, names = _classes(tmp_path, {"a": balanced, "c": balanced})
    assert names == {"label": ("cat", "cup", "truck")}
    _classes(tmp_path, {"a": lambda root: _folders(root)[0], "b": lambda root: _folders(root)[0]})
    assert not recwarn.list


def test_names_that_one_source_does_not_know(tmp_path, recwarn):
    def listed(root):
        return fn.readers.file(files=[f"{root}/dog/0.jpg"], labels=[1])

    assert _classes(tmp_path, {"a": _folders, "b": listed})[1] == {}
    assert not recwarn.list
