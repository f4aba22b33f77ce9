"""The bytes of a stored pipeline."""

from __future__ import annotations

import hashlib

import pytest

from penstock import SerializationError
from penstock.engine.pipeline.serialized_file import dump, load

DOCUMENT = {"nodes": [{"name": "a"}], "outputs": [[0, 0]]}


def test_a_document_comes_back_from_bytes_and_text():
    data = dump(DOCUMENT)
    assert data.startswith(b"penstock pipeline 1 ")
    for form in (data, bytearray(data), memoryview(data), data.decode()):
        assert load(form) == DOCUMENT


def test_every_cut_and_every_changed_bit_is_noticed():
    data = dump(DOCUMENT)
    for end in range(len(data)):
        with pytest.raises(SerializationError):
            load(data[:end])
    for position in range(len(data)):
        for bit in range(8):
            damaged = bytearray(data)
            damaged[position] ^= 1 << bit
            with pytest.raises(SerializationError):
                load(damaged)


def with_sum(body, version=1):
    return (
        b"penstock pipeline %d %s\n" % (version, hashlib.sha256(body).hexdigest().encode()) + body
    )


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "these 0 bytes are no pipeline that Penstock has stored"),
        (b"\x08\x04\x10\x01CPU", "A pipeline that DALI has stored cannot be read"),
        (b"penstock pipeline one\n", "are no pipeline"),
        (
            with_sum(b"{}", 2),
            "version 2 of the format, and this release .* reads version 1",
        ),
        (b"penstock pipeline 77\nanything", "version 77 of the format"),
        (b"penstock pipeline 1\n{}", "damaged or cut off"),
        (with_sum(b"{"), "is no JSON: Expecting"),
        (with_sum(b"[" * 100_000), "is no JSON: "),
        (with_sum(b"1" * 10_000), "is no JSON: Exceeds the limit"),
        (with_sum(b"\xff\xfe{"), "is no JSON: "),
        (with_sum(b"[]"), "is no JSON object"),
        (
            with_sum(b'{"nodes": ' + b"[" * 900 + b"]" * 900 + b"}"),
            "arrays and objects in more than 100 levels",
        ),
    ],
)
def test_what_is_no_stored_pipeline(data, message):
    with pytest.raises(SerializationError, match=message):
        load(data)


def test_what_is_stored_can_be_loaded():
    nested = []
    for _ in range(98):
        nested = [nested]
    assert load(dump({"a": nested})) == {"a": nested}
    for _ in range(10_000):
        nested = [nested]
    with pytest.raises(SerializationError, match="more than 100 levels"):
        dump({"a": nested})


def test_other_objects_are_refused():
    with pytest.raises(TypeError, match="is bytes, not int"):
        load(5)
