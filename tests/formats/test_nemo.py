"""Manifests of NeMo: the columns, and the refusal of bad lines with file and line."""

import json
import random

import numpy as np
import pytest

from penstock.engine.errors import SourceError
from penstock.formats.nemo import parse_manifest


def parse(*entries, name="train.json"):
    lines = [e if isinstance(e, bytes) else json.dumps(e).encode() for e in entries]
    return parse_manifest([line + b"\n" for line in lines], name)


def test_entries_without_a_text_among_others_are_told():
    entries = [{"audio_filepath": f"{n}.wav", **({"text": "a"} if n % 2 else {})} for n in range(5)]
    message = "train.json: 'text' is missing in 3 of 5 entries, the first in line 1"
    with pytest.warns(UserWarning, match=message):
        parse(*entries)
    assert len(parse(*[{"audio_filepath": "a.wav"}] * 3)) == 3  # no transcripts are wanted


def test_columns():
    with pytest.warns(UserWarning, match="'text' is null in 1 of 3 entries, the first in line 4"):
        manifest = parse(
            {"audio_filepath": "a.wav", "duration": 2, "text": "naïve", "lang": {"en": [1]}},
            b"   ",
            {
                "audio_filepath": "b/ö.flac",
                "offset": 1.5,
                "duration": 0.25,
                "shard_id": 7,
                "text": "",
            },
            {"audio_filepath": "a.wav", "text": None, "duration": None, "shard_id": -1},
        )
    assert len(manifest) == 3
    assert [manifest.path(i) for i in range(3)] == ["a.wav", "b/ö.flac", "a.wav"]
    assert len(manifest.paths) == 2
    assert [manifest.texts[i] for i in range(3)] == ["naïve", "", ""]
    np.testing.assert_array_equal(manifest.offset, [0, 1.5, 0])
    np.testing.assert_array_equal(manifest.duration, [2, 0.25, np.nan])
    np.testing.assert_array_equal(manifest.shard, [-1, 7, -1])
    assert manifest.where(1) == "train.json, line 3"


def test_a_byte_order_mark_and_windows_line_ends_are_accepted():
    manifest = parse_manifest([b'\xef\xbb\xbf{"audio_filepath": "a.wav"}\r\n'], "m")
    assert manifest.path(0) == "a.wav"


def test_channels_lists_of_files_and_other_names_of_fields():
    manifest = parse(
        {"audio_filepath": "a.wav", "channel_selector": 1, "text": 42},
        {"audio_filename": "b.wav", "text": ""},
        {"audio_filepath": ["c0.wav", "c1.wav"], "channel_selector": [1, 0], "text": ""},
        {"audio_filepath": "a.wav", "channel_selector": "average", "text": ""},
    )
    assert manifest.texts[0] == "42"
    assert [manifest.files(i) for i in range(3)] == [["a.wav"], ["b.wav"], ["c0.wav", "c1.wav"]]
    assert manifest.path(2) == "c0.wav, c1.wav"
    assert manifest.channels == {0: (1,), 2: (1, 0), 3: (-1,)}


def test_fields_that_are_not_read_are_named():
    with pytest.warns(UserWarning, match=r"train.json, line 1: 'text_filepath' is not read"):
        parse({"audio_filepath": "a.wav", "text_filepath": "a.txt"})


GOOD = {"audio_filepath": "a.wav"}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{", "no JSON"),
        (b'{"audio_filepath": "a"} x', "no JSON"),
        (b'{"audio_filepath": "\xff"}', "UTF-8"),
        (b"[" * 100_000, "nested|no JSON"),
        (b'"a.wav"', "no object"),
        ({"duration": 1}, "audio_filepath"),
        ({"audio_filepath": ""}, "audio_filepath"),
        ({"audio_filepath": 3}, "audio_filepath"),
        ({"audio_filepath": "a\0b"}, "audio_filepath"),
        (b'{"audio_filepath": "\\ud800"}', "surrogate"),
        (GOOD | {"text": 3.5}, "'text' must be a string"),
        (GOOD | {"text": True}, "'text' must be a string"),
        ({"audio_filepath": []}, "audio_filepath"),
        ({"audio_filepath": ["a.wav", 3]}, "audio_filepath"),
        (GOOD | {"channel_selector": -1}, "'channel_selector' must be"),
        (GOOD | {"channel_selector": [0, "1"]}, "'channel_selector' must be"),
        (GOOD | {"channel_selector": []}, "'channel_selector' must be"),
        (GOOD | {"channel_selector": 1024}, "'channel_selector' must be"),
        (GOOD | {"duration": -1}, "'duration' must be seconds"),
        (GOOD | {"duration": "2"}, "'duration' must be seconds"),
        (GOOD | {"duration": True}, "'duration' must be seconds"),
        (GOOD | {"duration": 10**400}, "'duration' must be seconds|no JSON"),
        (b'{"audio_filepath": "a", "offset": NaN}', "'offset' must be seconds"),
        (b'{"audio_filepath": "a", "offset": 1e999}', "'offset' must be seconds"),
        (b'{"audio_filepath": "a", "offset": ' + b"9" * 10_000 + b"}", "no JSON|seconds"),
        (GOOD | {"shard_id": 1.5}, "'shard_id'"),
        (GOOD | {"shard_id": -2}, "'shard_id'"),
        (GOOD | {"shard_id": 2**31}, "'shard_id'"),
    ],
)
def test_a_bad_line_is_refused_with_file_and_line(line, message):
    with pytest.raises(SourceError, match=rf"^train.json, line 2: .*({message})"):
        parse(GOOD, line)


def test_a_manifest_without_entries_is_refused():
    with pytest.raises(SourceError, match=r"^empty.json has no entry"):
        parse(b"", name="empty.json")


def test_damaged_bytes_raise_nothing_but_source_errors():
    rng = random.Random(5)
    entry = json.dumps({"audio_filepath": "a.wav", "offset": 1.5, "duration": 2, "text": "hé"})
    refused = 0
    for _ in range(500):
        line = bytearray(entry.encode())
        for _ in range(rng.randint(1, 4)):
            line[rng.randrange(len(line))] = rng.randrange(256)
        try:
            parse(bytes(line))
        except SourceError:
            refused += 1
    assert 100 < refused < 500
