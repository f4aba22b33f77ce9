"""Arrays that NumPy wrote."""

from __future__ import annotations

import io
import tracemalloc
import zipfile

import numpy as np
import pytest

from penstock.datasets import open_dataset
from penstock.datasets.component_files import npy_of
from penstock.datasets.schema import schema_of
from penstock.engine.errors import DecodeError, SourceError


def test_one_file_is_a_stack(tmp_path):
    np.save(tmp_path / "x.npy", np.arange(12).reshape(4, 3))
    dataset = open_dataset(tmp_path / "x.npy")
    assert len(dataset) == 4
    sample = dataset.read([2])[0]
    assert (sample.key, sample.components["array"].tolist()) == ("x/00000002", [6, 7, 8])


def test_files_of_one_length_are_components(tmp_path):
    np.save(tmp_path / "images.npy", np.zeros((4, 2, 2), np.uint8))
    np.save(tmp_path / "label.npy", np.arange(4))
    sample = open_dataset(tmp_path).read([3])[0]
    assert sample.components["label"] == 3
    assert sample.components["images"].shape == (2, 2)


def test_files_of_one_shape_are_samples(tmp_path):
    for name in "abc":
        np.save(tmp_path / f"{name}.npy", np.zeros((4, 2)))
    dataset = open_dataset(tmp_path)
    assert [sample.key for sample in dataset.read([0, 1, 2])] == ["a", "b", "c"]


def test_members_of_one_length_are_components(tmp_path):
    np.savez(tmp_path / "a.npz", x=np.zeros((4, 2)), y=np.arange(4))
    sample = open_dataset(tmp_path / "a.npz").read([1])[0]
    assert sample.components["y"] == 1


def test_members_of_other_lengths_are_samples(tmp_path):
    np.savez(tmp_path / "a.npz", x=np.zeros((4, 2)), y=np.zeros((3, 2)))
    assert [s.key for s in open_dataset(tmp_path / "a.npz").read([0, 1])] == ["x", "y"]


def test_keys_that_are_missing_are_noticed(tmp_path):
    from penstock.testing import made

    root = made.write(tmp_path / "a", made.arrays(), "npy")
    (root / "shard-00000.keys.txt").write_text("a\n")
    with pytest.raises(SourceError, match="1 keys are listed for 9 samples"):
        open_dataset(root)


def test_files_and_members_of_one_name_are_not_mixed_up(tmp_path):
    for number in range(2):
        (tmp_path / str(number)).mkdir()
        np.save(tmp_path / str(number) / "x.npy", np.full((4, 2 + number), number))
    dataset = open_dataset(str(tmp_path / "*" / "x.npy"))
    assert [s.components["array"][0, 0] for s in dataset.read([0, 1])] == [0, 1]
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        for name in ("k.x", "k.%78"):
            archive.writestr(f"{name}.npy", npy_of(np.zeros(3)))
    with pytest.raises(DecodeError, match="several members of the sample 'k' are one"):
        open_dataset(tmp_path / "a.npz").read([0])


@pytest.mark.parametrize("shape", [(1000, 200_000), (200_000_000,)])
def test_a_bomb_is_opened_and_read_in_little_memory(tmp_path, shape):
    head = io.BytesIO()
    form = {"descr": "|u1", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(head, form)
    with (
        zipfile.ZipFile(tmp_path / "a.npz", "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("x.npy", "w", force_zip64=True) as member,
    ):
        member.write(head.getvalue())
        for _ in range(20):
            member.write(bytes(10_000_000))
    tracemalloc.start()
    try:
        dataset = open_dataset(tmp_path / "a.npz")
        assert dataset.schema
        dataset.read([0])
        assert tracemalloc.get_traced_memory()[1] < 40 << 20
    finally:
        tracemalloc.stop()


def test_the_schema_is_that_of_the_samples(tmp_path):
    np.savez(tmp_path / "a.npz", x=np.zeros((4, 2), np.complex64), y=np.arange(4), z=np.ones(4))
    np.savez(tmp_path / "b.npz", **{"k.x": np.zeros((2, 3)), "k.n": np.int16(3), "l.n": np.True_})
    for name in "ab":
        dataset = open_dataset(tmp_path / f"{name}.npz")
        assert dataset.schema == schema_of(dataset.read(range(len(dataset))))


def test_members_of_texts_are_left_out_and_named(tmp_path):
    np.savez(tmp_path / "a.npz", x=np.zeros((4, 2)), y=np.arange(4), note=np.array("of 2026"))
    dataset = open_dataset(tmp_path / "a.npz")
    assert dataset.stored.unread_fields == ("note",)
    assert [sample.components["y"] for sample in dataset.read(range(4))] == [0, 1, 2, 3]
    np.savez(
        tmp_path / "b.npz", x=np.zeros((4, 2)), y=np.zeros((3, 2)), names=np.array(["cat", "dog"])
    )
    dataset = open_dataset(tmp_path / "b.npz")
    assert dataset.stored.unread_fields == ("names",)
    assert [sample.key for sample in dataset.read(range(2))] == ["x", "y"]
    np.savez(tmp_path / "c.npz", names=np.array(["cat", "dog"]))
    with pytest.raises(DecodeError, match=r"c\.npz, member 'names\.npy'.*strings"):
        open_dataset(tmp_path / "c.npz")
