"""Checkpoints: registered objects, files, and what does not fit."""

from __future__ import annotations

import json

import pytest

from penstock import CheckpointError
from penstock.experimental import dynamic as ndd

Checkpoint = ndd.checkpoint.Checkpoint


@pytest.fixture
def files(tmp_path):
    for number in range(8):
        (tmp_path / f"{number}.bin").write_bytes(bytes([number]))
    return [str(tmp_path / f"{number}.bin") for number in range(8)]


def step(reader, rng, batches):
    encoded, _ = next(batches)
    noise = ndd.random.uniform(range=[0, 1], rng=rng, batch_size=2)
    return [(int(one[0]), number.item()) for one, number in zip(encoded, noise, strict=True)]


def test_a_run_goes_on(files, tmp_path):
    reader, rng = ndd.readers.File(files=files), ndd.random.RNG(5)
    saved = Checkpoint()
    assert (saved.register(reader, "files"), saved.register(rng)) == ("files", "__op_1")
    batches = reader.next_epoch(batch_size=2)
    step(reader, rng, batches)
    saved.collect()
    path = saved.save(str(tmp_path / "saved" / "{seq:03d}.json"))
    assert path.endswith("000.json")
    expected = [step(reader, rng, batches) for _ in range(3)]

    later = Checkpoint()
    assert later.load(str(tmp_path / "saved" / "{seq:03d}.json")) == path
    assert (later.is_loaded, later.is_complete) == (True, False)
    reader, rng = ndd.readers.File(files=files), ndd.random.RNG()
    later.register(reader, "files")
    later.register(rng)
    batches = reader.next_epoch(batch_size=2)
    assert [step(reader, rng, batches) for _ in range(3)] == expected
    assert next(batches, None) is None


def test_files_are_numbered(tmp_path):
    saved, rng = Checkpoint(), ndd.random.RNG(1)
    saved.register(rng, "rng")
    pattern = str(tmp_path / "a[1]_{seq}.json")
    states = []
    for _ in range(11):
        saved.collect()
        states.append(saved.get_state("rng"))
        saved.save(pattern)
        rng()
    (tmp_path / "a[1]_x.json").touch()
    later = Checkpoint()
    assert later.load(pattern).endswith("a[1]_10.json")
    later.register(rng, "rng")
    assert later.get_state("rng") == states[-1]
    plain = str(tmp_path / "plain.json")
    assert saved.save(plain) == plain
    assert Checkpoint().load(plain) == plain


def test_states_that_are_set():
    checkpoint, rng = Checkpoint(), ndd.random.RNG(1)
    state = ndd.random.RNG(9).state
    checkpoint.set_state("rng", state, ndd.random.RNG)
    checkpoint.register(rng, "rng")
    assert rng.state == state
    assert ("rng" in checkpoint, len(checkpoint), checkpoint.names) == (True, 1, ("rng",))
    checkpoint.set_state("rng", ndd.random.RNG(10).state)
    checkpoint.restore()
    assert rng.state == ndd.random.RNG(10).state
    checkpoint.clear()
    assert len(checkpoint) == 0
    checkpoint.restore()


def test_names_and_types_must_fit(files):
    checkpoint, rng = Checkpoint(), ndd.random.RNG(1)
    checkpoint.register(rng, "rng")
    assert checkpoint.register(rng) == "rng"
    with pytest.raises(RuntimeError, match="registered as 'rng'"):
        checkpoint.register(rng, "other")
    for name in ("", "__op_0"):
        with pytest.raises(ValueError, match="cannot be named"):
            checkpoint.register(ndd.random.RNG(2), name)
    with pytest.raises(TypeError, match="'rng' is a RNG, not a File"):
        checkpoint.register(ndd.readers.File(files=files), "rng")
    with pytest.raises(KeyError, match="no object named 'x'"):
        checkpoint.get_state("x")
    with pytest.raises(RuntimeError, match="call `collect` first"):
        checkpoint.serialize()
    checkpoint.set_state("lost", "x")
    with pytest.raises(RuntimeError, match=r"\['lost'\], which are not registered"):
        checkpoint.collect()
    with pytest.raises(TypeError, match="op_type"):
        checkpoint.set_state("rng", "x", 3)


def test_a_loaded_checkpoint_has_all_names():
    saved = Checkpoint()
    saved.register(ndd.random.RNG(1), "rng")
    saved.collect()
    with pytest.raises(RuntimeError, match="after `collect`"):
        saved.register(ndd.random.RNG(1), "more")
    later = Checkpoint()
    later.deserialize(saved.serialize())
    with pytest.raises(KeyError, match="no state of 'more'; it has"):
        later.register(ndd.random.RNG(1), "more")
    content = json.loads(saved.serialize())
    content["states"]["rng"]["type"] = "File"
    later.deserialize(json.dumps(content))
    with pytest.raises(TypeError, match="that of a File, not of a RNG"):
        later.register(ndd.random.RNG(1), "rng")


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"version": 1, "states": []}', '{"version": 1, "states": {"a": 1}}']
)
def test_what_is_no_checkpoint(text):
    with pytest.raises(CheckpointError, match="no checkpoint"):
        Checkpoint().deserialize(text)


def test_other_versions_and_patterns(tmp_path):
    with pytest.raises(CheckpointError, match="version 9"):
        Checkpoint().deserialize('{"version": 9, "states": {}}')
    with pytest.raises(FileNotFoundError, match="no file"):
        Checkpoint().load(str(tmp_path / "none" / "{seq}.json"))
    with pytest.raises(ValueError, match="one field"):
        Checkpoint().load(str(tmp_path / "{seq}_{other}.json"))


def test_the_checkpoint_of_the_context():
    assert ndd.checkpoint.current() is ndd.EvalContext.current().checkpoint
    with ndd.EvalContext() as context:
        assert ndd.checkpoint.current() is context.checkpoint
