"""Manifests of other programs."""

from __future__ import annotations

import json

from penstock.datasets import open_dataset


def test_windows_of_one_file_are_samples_of_their_own(tmp_path):
    (tmp_path / "a.wav").write_bytes(b"RIFF....WAVE")
    lines = [
        {"audio_filepath": "a.wav", "offset": offset, "duration": 1.5, "text": f"at {offset}"}
        for offset in (0, 1.5)
    ]
    (tmp_path / "m.json").write_text("\n".join(map(json.dumps, lines)))
    one, two = open_dataset(tmp_path / "m.json").read([0, 1])
    assert (one.key, two.key) == ("a-00000000", "a-00000001")
    assert bytes(one.components["audio"].data) == b"RIFF....WAVE"
    assert two.components["offset"] == 1.5
    assert two.components["text"] == "at 1.5"
    assert "offset" not in one.components
