"""Benchmarks look at what they count."""

from __future__ import annotations

import json
from functools import partial

import numpy as np
import pytest

from penstock import fn, pipeline_def
from penstock.benchmarks import common, gpu
from penstock.benchmarks.looking import (
    ONE_IN,
    Looked,
    Looks,
    Watched,
    WrongSamplesError,
    checked,
    counts,
    sum_of_words,
)
from penstock.engine.tensors import TensorListCPU

BATCH = 16


def photographs(tree, **options):
    @pipeline_def(batch_size=BATCH, num_threads=2, seed=1)
    def define():
        encoded, labels = fn.readers.file(file_root=tree.root, random_shuffle=True)
        images = fn.decoders.image_random_crop(encoded, **options)
        return fn.resize(images, size=(24, 24)), labels

    return define()


def turn_of(key, make, batches=8):
    watched = Watched(key, make)
    for _ in range(batches):
        watched.run()
    return watched.looked(5.0)


def test_samples_of_a_turn_are_those_of_the_pipeline_alone(photo_tree):
    looked = turn_of("right", partial(photographs, photo_tree))
    assert looked == Looked(5.0, compared=len(range(0, 8 * BATCH, ONE_IN)), wrong=0)


def test_all_rows_get_their_turn():
    looks = Looks()
    batch = TensorListCPU(np.zeros((BATCH, 3)))
    for _ in range(ONE_IN):
        looks.look((batch,))
    seen = [row for rows, _ in looks.sums() for row in rows]
    assert sorted(seen) == list(range(BATCH))


def test_later_turns_share_the_first_one_s_reference(photo_tree):
    made = []

    def make():
        made.append(photographs(photo_tree))
        return made[-1]

    for batches in (8, 10):
        turn_of("shared", make, batches)
    assert len(made) == 3  # two turns and the reference
    assert turn_of("shared", make, 4).compared == 2  # as far as the turn goes


def test_a_longer_turn_makes_a_new_reference(photo_tree):
    make = partial(photographs, photo_tree)
    assert turn_of("longer", make, 4).compared == 2
    assert turn_of("longer", make, 12).compared == len(range(0, 12 * BATCH, ONE_IN))


def drifting():
    """A pipeline whose samples depend on more than its seed."""
    random = np.random.default_rng()

    @pipeline_def(batch_size=BATCH, num_threads=2, seed=1)
    def define():
        return fn.external_source(lambda: [random.random(50)] * BATCH)

    return define()


def test_a_benchmark_of_wrong_samples_records_no_figure(tmp_path, monkeypatch):
    file = tmp_path / "record.json"
    monkeypatch.setattr("sys.argv", ["program", "--rounds", "1", "--json", str(file)])
    offered = {"drifting": ("images/s", partial(turn_of, "drifting", drifting), None)}
    with pytest.raises(WrongSamplesError, match="drifting: 3 of 3 samples differ"):
        common.main(common.command_line("Measures."), lambda _: offered)
    assert not file.exists()


def test_the_record_and_the_tables_tell_what_was_compared(
    photo_tree, tmp_path, monkeypatch, capsys
):
    file = tmp_path / "record.json"
    monkeypatch.setattr("sys.argv", ["program", "--rounds", "2", "--json", str(file)])
    turns = [partial(turn_of, name, partial(photographs, photo_tree)) for name in ("a", "b")]
    offered = {"two": ("images/s", *turns), "time": ("s", lambda: 1.0, None)}
    common.main(common.command_line("Measures."), lambda _: offered)
    two, time = json.loads(file.read_text())["figures"]
    assert (two["compared"], two["wrong"]) == (12, 0)
    assert (time["compared"], time["wrong"]) == (None, None)
    assert "0 of 12 samples wrong" in capsys.readouterr().out.splitlines()[1]
    assert gpu.described(two).endswith("0 of 12 samples wrong")
    assert "wrong" not in gpu.described(time)
    assert "loss 1.500  1 of 9" in gpu.described(
        {"name": "a", "images": 1, "of_ceiling": 1, "compared": 9, "wrong": 1, "loss": 1.5}
    )


def test_a_turn_that_compared_nothing_or_lost_its_loss_is_refused():
    with pytest.raises(WrongSamplesError, match="0 of 0"):
        checked(Looked(1.0), "nothing")
    with pytest.raises(WrongSamplesError, match="the loss is nan"):
        checked(Looked(1.0, 3, 0, float("nan")), "lost")


@pytest.mark.parametrize("length", [0, 1, 7, 8, 9, 30])
def test_a_changed_byte_changes_the_sum(length):
    array = np.arange(length, dtype=np.uint8)[::-1]
    total = sum_of_words(array)
    for i in range(length):
        changed = array.copy()
        changed[i] ^= 64
        assert sum_of_words(changed) != total


def test_sums_of_tensors_allow_roundings_of_pixels_and_none_of_labels():
    torch = pytest.importorskip("torch")
    images, labels = torch.rand(4, 3, 8, 8) - 0.5, torch.tensor([[2000], [3], [4], [5]])

    def sums(images, labels):
        looks = Looks(is_alone=True)
        looks.look((images, labels))
        return looks.sums()[0]

    before = sums(images, labels)
    rounded = images * (1 + 1e-4)
    assert counts([(sums(rounded.permute(0, 2, 3, 1), labels[:, 0]), before)]) == (4, 0)
    assert counts([(sums(images * 1.01, labels), before)]) == (4, 4)
    assert counts([(sums(images * 1.01, labels), before)], tolerance=0.02) == (4, 0)
    rounded[1, 0] = 0
    assert counts([(sums(rounded, labels), before)]) == (4, 1)
    labels[0] = 2001
    assert counts([(sums(rounded, labels), before)]) == (4, 2)
    assert counts([(sums(rounded.abs().mul(255).byte(), labels), before)]) == (4, 4)
