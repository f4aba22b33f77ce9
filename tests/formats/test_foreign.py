"""Files of other software."""

import numpy as np
import pytest

from penstock import datasets
from penstock.decoders.image.table import read_header
from penstock.engine.errors import DecodeError, SourceError
from penstock.formats.foreign import HEAD, foreign_file, is_pointer
from penstock.readers.storage.opening import open_storage

POINTER = (
    b"version https://git-lfs.github.com/spec/v1\n"
    b"oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"
)


def test_names_and_heads_tell():
    assert foreign_file("a", bytes(512) + b"\x89HDF\r\n\x1a\n").startswith("an HDF5 file; write")
    assert foreign_file("A.NII.GZ", b"").startswith("a NIfTI file")
    assert foreign_file("x/weights.pt", b"").startswith("a file of PyTorch")
    assert foreign_file("a.tar", bytes(HEAD)) == ""


def test_pointers_of_git_lfs_are_told(tmp_path):
    assert is_pointer(POINTER)
    assert not is_pointer(POINTER + bytes(1024))  # which is longer than a pointer may be
    assert not is_pointer(b"version 1")
    path = tmp_path / "train.tar"
    path.write_bytes(POINTER)
    with pytest.raises(SourceError, match=r"train\.tar is a pointer of Git LFS .*`git lfs pull`"):
        open_storage(path)
    with pytest.raises(DecodeError, match=r"the sample is a pointer of Git LFS"):
        read_header(np.frombuffer(POINTER, np.uint8))


def test_a_pointer_among_images_is_a_bad_sample(tmp_path):
    for number, content in enumerate((b"\xff\xd8\xff an image", POINTER)):
        (tmp_path / "set/cat").mkdir(parents=True, exist_ok=True)
        (tmp_path / "set/cat" / f"{number}.jpg").write_bytes(content)
    with pytest.raises(DecodeError, match=r"cat/1\.jpg is a pointer of Git LFS"):
        datasets.convert(tmp_path / "set", tmp_path / "out", to="webdataset")
    report = datasets.convert(tmp_path / "set", tmp_path / "out", to="webdataset", skip_bad=True)
    assert (report.samples, report.skipped) == (1, 1)
