"""Sound and unsound samples."""

from __future__ import annotations

import hashlib
import io
import os

import numpy as np
import pytest

from penstock.datasets import Encoded, open_dataset
from penstock.datasets.soundness import BadSample, check_decodable, read_sound, unsound_files
from penstock.engine.errors import DecodeError
from penstock.testing import made


def test_one_bad_sample_leaves_the_others(tmp_path):
    root = made.write(tmp_path / "a", made.images(), "folder", ("a", "b"))
    (root / "a" / "004.jpg").unlink()
    (root / "a" / "004.jpg").symlink_to("nowhere")
    with open_dataset(root) as dataset:
        samples = read_sound(dataset, np.arange(12), decoding=True)
    bad = [sample for sample in samples if isinstance(sample, BadSample)]
    assert len(samples) == 12
    assert [each.location for each in bad] == [str(root / "a" / "004.jpg")]


def test_missing_files_are_named(tmp_path):
    root = made.write(tmp_path / "a", made.images())
    dataset = open_dataset(root)
    (root / "shard-00000.tar").unlink()
    (bad,) = unsound_files(dataset)
    assert (bad.index, bad.location) == (-1, str(root / "shard-00000.tar"))


def test_samples_that_are_gone_are_counted(tmp_path):
    root = made.write(tmp_path / "a", made.images(), "folder", ("a", "b"))
    (root / "a" / "004.jpg").unlink()
    first, second = unsound_files(open_dataset(root))
    assert first.location == str(root / "dataset.json")
    assert first.reason == "it counts 12 samples, but the files hold 11"
    assert second.location == str(root / "a" / "004.jpg")


@pytest.mark.parametrize("content", [None, b"00  a/\0\n", b"\xff  \xff\n"])
def test_a_damaged_list_of_files_is_named(tmp_path, content):
    root = made.write(tmp_path / "a", made.images(), "folder", ("a", "b"))
    listing = root / ".penstock-shard-00000.sha256"
    listing.unlink()
    if content is not None:
        listing.write_bytes(content)
    bad = list(unsound_files(open_dataset(root)))
    assert bad[0].location == str(listing)
    assert len(bad) == (1 if content is None else 2)


@pytest.mark.parametrize("name", ["../secret", "/dev/zero", "a/../../secret", "a/pipe", "a/device"])
def test_lists_of_checksums_lead_nowhere_else(tmp_path, name):
    root = made.write(tmp_path / "a", made.images(), "folder", ("a", "b"))
    (tmp_path / "secret").write_text("secret")
    os.mkfifo(root / "a" / "pipe")
    (root / "a" / "device").symlink_to("/dev/zero")
    dataset = open_dataset(root)
    listing = root / ".penstock-shard-00000.sha256"
    listing.write_text(f"{'0' * 64}  {name}\n")
    bad = list(unsound_files(dataset))[-1]
    assert "no path below" in bad.reason or "device or FIFO" in bad.reason
    assert hashlib.sha256(b"secret").hexdigest() not in str(bad)


def test_images_are_decoded_and_other_files_not():
    check_decodable(Encoded(made.jpeg(1), "jpg"))
    check_decodable(Encoded(b"...", "json"))
    with pytest.raises(DecodeError):
        check_decodable(Encoded(made.jpeg(1)[:100], "jpg"))


def test_sound_is_decoded_to_its_end():
    soundfile = pytest.importorskip("soundfile")
    out = io.BytesIO()
    soundfile.write(out, np.random.default_rng(0).normal(0, 0.1, 50_000), 16_000, format="FLAC")
    check_decodable(Encoded(out.getvalue(), "flac"))
    with pytest.raises(DecodeError):
        check_decodable(Encoded(out.getvalue()[:-3000], "flac"))
