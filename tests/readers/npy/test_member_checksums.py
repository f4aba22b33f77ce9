"""Checksums of stored members: damage is found where a whole member is read."""

import zipfile
import zlib

import numpy as np
import pytest

from penstock.engine.errors import DecodeError
from penstock.formats.npy import parse_header
from penstock.readers.npy import member_checksums
from penstock.readers.npy.member_checksums import stored_form

from ..npy_files import RANDOM, read, saved, source_of

FORMS = {
    "C": RANDOM.random((4, 5)),
    "Fortran": np.asfortranarray(RANDOM.random((4, 5, 2))),
    "big-endian": RANDOM.integers(0, 99, (3, 4)).astype(">i4"),
    "complex, Fortran, big-endian": np.asfortranarray((RANDOM.random((3, 4)) + 1j).astype(">c16")),
    "dates": np.arange(6).astype("M8[s]").reshape(2, 3),
    "bool": RANDOM.random((3, 4)) > 0.5,
    "scalar": np.float32(3),
    "empty": np.zeros((0, 3)),
    "vector": np.arange(300, dtype="u2"),
}


def archive(path, *contents):
    with zipfile.ZipFile(path, "w") as stored:
        for i, content in enumerate(contents):
            stored.writestr(f"{i}.npy", content)
    return path


def damage(path, content):
    """Flip one bit of the last byte of `content` in a file."""
    data = bytearray(path.read_bytes())
    at = data.index(content) + len(content) - 1
    data[at] ^= 1
    path.write_bytes(data)
    return data[at - len(content) + 1 : at + 1]


@pytest.mark.parametrize("form", FORMS)
def test_the_stored_form_of_elements_is_the_file_s(form):
    content = saved(FORMS[form])
    header = parse_header(content)
    native = np.ascontiguousarray(FORMS[form], header.native)
    assert stored_form(native, header).tobytes() == content[header.offset :]


@pytest.mark.parametrize("keep_headers", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_undamaged_members_of_all_forms_are_read(tmp_path, form, keep_headers):
    array = np.asarray(FORMS[form])
    content = saved(array)
    paths = [archive(tmp_path / "a.zip", content, content + b"more")]
    source = source_of(paths, keep_headers=keep_headers)
    for _ in range(2):
        found = read(source)
        assert len(found) == 2
        assert (
            found[0].tobytes()
            == np.ascontiguousarray(array).astype(array.dtype.newbyteorder("=")).tobytes()
        )


@pytest.mark.parametrize("trailing", [b"", b"more"])
@pytest.mark.parametrize("form", ["C", "Fortran", "big-endian", "vector"])
def test_a_damaged_member_is_named_with_both_checksums(tmp_path, form, trailing):
    content = saved(FORMS[form]) + trailing
    path = archive(tmp_path / "a.npz", saved(FORMS["C"] + 1), content)
    damaged = damage(path, content)
    source = source_of([path])
    expected, actual = f"{zlib.crc32(content):08x}", f"{zlib.crc32(damaged):08x}"
    with pytest.raises(DecodeError, match=rf"a\.npz, member '1\.npy'.*{actual}.*{expected}"):
        read(source)
    assert len(read(source, np.array([0, 0]))) == 2


def test_a_damaged_header_is_noticed(tmp_path):
    content = saved(FORMS["C"])
    path = archive(tmp_path / "a.npz", content)
    data = path.read_bytes().replace(b"} ", b"}\t", 1)
    path.write_bytes(data)
    with pytest.raises(DecodeError, match="CRC-32"):
        read(source_of([path]))


def test_a_region_is_read_without_the_checksum(tmp_path):
    content = saved(FORMS["C"])
    path = archive(tmp_path / "a.npz", content)
    damage(path, content)
    np.testing.assert_array_equal(read(source_of([path], ":2"))[0], FORMS["C"][:2])


def test_members_of_remote_archives_are_verified(tmp_path, web):
    content = saved(FORMS["C"])
    path = archive(tmp_path / "a.npz", content)
    damage(path, content)
    web.objects["a.npz"] = path.read_bytes()
    with pytest.raises(DecodeError, match=r"a\.npz, member '0\.npy'.*CRC-32"):
        read(source_of([f"{web.url}/a.npz"]))


def test_what_follows_the_elements_is_read_in_parts(tmp_path, tuned):
    tuned(member_checksums, TAIL_AT_ONCE=10)
    for size in (1, 10, 33):
        path = archive(tmp_path / f"{size}.zip", saved(np.arange(3)) + b"-" * size)
        assert read(source_of([path]))[0].tolist() == [0, 1, 2]
    damage(path, b"-" * 33)
    with pytest.raises(DecodeError, match="CRC-32"):
        read(source_of([path]))
