"""Digests of keys and contents."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from penstock.datasets import Encoded, Sample
from penstock.datasets.checking import digests
from penstock.datasets.checking.digests import content_digest, key_digests, repeated_keys


def digest(**components):
    return content_digest(Sample("x", components))


def test_order_and_extension_and_container_do_not_count():
    data = b"content"
    one = digest(a=Encoded(data, "jpg"), b=1)
    assert one == digest(b=1.0, a=Encoded(memoryview(data), "JPEG"))


@pytest.mark.parametrize(
    "other",
    [
        {"a": Encoded(b"contenu", "jpg"), "b": 1},
        {"a": Encoded(b"content", "jpg"), "b": 2},
        {"a": Encoded(b"content", "jpg")},
        {"c": Encoded(b"content", "jpg"), "b": 1},
        {"a": "content", "b": 1},
    ],
)
def test_whatever_else_differs_counts(other):
    assert digest(a=Encoded(b"content", "jpg"), b=1) != digest(**other)


def test_arrays_count_with_shape_and_type_but_not_with_byte_order():
    array = np.arange(6.0).reshape(2, 3)
    assert digest(a=array) == digest(a=np.asfortranarray(array))
    assert digest(a=array) != digest(a=array.reshape(3, 2))
    assert digest(a=array) != digest(a=array.astype(np.float32))


def test_components_do_not_run_into_one_another():
    assert digest(a="b\0c") != digest(a="b", c="")
    assert digest(a=Encoded(b"12", ""), b=Encoded(b"3", "")) != digest(
        a=Encoded(b"1", ""), b=Encoded(b"23", "")
    )


@pytest.mark.parametrize("portion", [1 << 20, 100])
def test_repeated_keys_are_pairs_of_indices(tmp_path, tuned, portion):
    tuned(digests, PORTION_BYTES=portion)
    shards = [key_digests([(str(i), i) for i in range(50)]), key_digests([("7", 90), ("9", 91)])]
    size = sum(shard.nbytes for shard in shards)
    assert sorted(repeated_keys(shards, size, tmp_path)) == [(7, 90), (9, 91)]
    assert list(repeated_keys([], 0, tmp_path)) == []
    assert not any(tmp_path.iterdir())


def test_a_name_ends_before_the_value():
    """A NUL, which no name has, is between them; a backslash and a zero could be of a name."""
    assert digest(**{"a\\0": 1}) != digest(a=1)
    expected = hashlib.sha256(b"a\0" + b"".join(map(_sized, (b"number", b"1")))).digest()[:16]
    assert digest(a=1) == expected


def _sized(piece):
    return len(piece).to_bytes(8, "little") + piece
