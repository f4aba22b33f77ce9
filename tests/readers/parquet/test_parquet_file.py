"""Damaged files."""

import numpy as np
import pytest

from penstock import ArgumentError, DecodeError, SourceError

from .tables import opened, table, write, write_stream

pa = pytest.importorskip("pyarrow")


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_every_damage_is_named_or_harmless(tmp_path, kind):
    """Cut files and flipped bits give errors of the file, or samples."""
    rows = table().select(["image", "label", "boxes"]).slice(0, 9)
    save = write if kind == "parquet" else write_stream
    path = tmp_path / f"a.{kind}"
    content = bytearray((tmp_path / save(path, rows)).read_bytes())
    random = np.random.default_rng(7)
    messages = []
    for number in range(150):
        changed = bytearray(content)
        if number % 5 == 0:
            del changed[int(random.integers(len(content))) :]
        else:
            place = -int(random.integers(1, len(content) if number % 2 else 1500))
            changed[place] ^= 1 << int(random.integers(8))
        path.write_bytes(changed)
        try:
            source = opened(path, "image", "label", "boxes")
            if len(source) < 1000:
                source.read(np.arange(len(source)), np.empty)
        except (SourceError, DecodeError, ArgumentError) as error:
            messages.append(str(error))
    assert len(messages) > 30
    assert all(str(path) in message for message in messages)


def test_a_file_that_shrinks_while_open_raises(tmp_path):
    path = tmp_path / "a.parquet"
    source = opened(write(path, table()), "image")
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises((SourceError, OSError), match=r"a\.parquet"):
        source.read(np.arange(3), np.empty)
