"""Shar data sets as lhotse writes them, and by lhotse itself where it is installed."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from .. import peers
from . import tars

RATE = 16_000

LHOTSE = """
import sys
import numpy as np
import soundfile
from pathlib import Path
from lhotse import MonoCut, Recording, SupervisionSegment
from lhotse.shar import SharWriter
root = Path(sys.argv[1])
(root / "shar").mkdir(parents=True)
with SharWriter(root / "shar", {"recording": "flac", "level": "jsonl"}, shard_size=3) as writer:
    for number in range(7):
        name = root / f"{number}.wav"
        soundfile.write(name, np.sin(np.arange(8000 + 800 * number) * 0.01) / 3, 16000)
        recording = Recording.from_file(name)
        cut = recording.to_cut()
        half = cut.duration / 2
        cut.supervisions = [
            SupervisionSegment(f"{text}{number}", recording.id, start, half, text=text,
                speaker=f"s{number % 2}", language="en")
            for text, start in ((f"hello {number}", 0), ("again", half))
        ]
        cut.custom = {"score": number / 2, "note": f"n{number}", "level": number}
        if number == 3:
            cut = cut.truncate(offset=0.1, duration=0.3, preserve_id=True)
        writer.write(cut)
"""
READ = """
import json, sys
from lhotse import CutSet
for cut in CutSet.from_shar(in_dir=sys.argv[1]):
    texts = " ".join(one.text for one in cut.supervisions)
    print("cut", json.dumps([cut.id, cut.duration, texts, cut.load_audio()[0].tolist()]))
"""


def by_lhotse(root: Path) -> Path:
    """Have lhotse write a data set of seven cuts; skip without it."""
    peers.run("lhotse", LHOTSE, root)
    return root / "shar"


def read_by_lhotse(root: Path) -> list[Any]:
    """Return id, duration, text and samples of each cut, as lhotse reads them."""
    lines = peers.run("lhotse", READ, root).splitlines()
    return [json.loads(line[4:]) for line in lines if line.startswith("cut ")]


def sound(number: int) -> np.ndarray[Any, Any]:
    """Return the samples of a recording: a second and a tenth for each number."""
    length = RATE + RATE // 10 * number
    return (np.arange(length) % (100 + number) / 200).astype(np.float32)


def cut(number: int, **changes: Any) -> dict[str, Any]:
    """Return a cut as a line has it."""
    told = {"id": f"s{number}", "start": 0, "duration": 1, "text": f"word {number}"}
    told |= {"speaker": f"p{number % 2}", "language": "en"}
    custom = {"snr": number, "tags": ["a"], "picked": number > 1}
    whole = {"id": f"a/{number}.x", "start": 0, "duration": len(sound(number)) / RATE}
    return {**whole, "type": "MonoCut", "supervisions": [told], "custom": custom, **changes}


def encoded(number: int) -> bytes:
    """Return a recording as a FLAC file."""
    stream = io.BytesIO()
    soundfile.write(stream, sound(number), RATE, format="flac")
    return stream.getvalue()


def write(
    root: Path, cuts: list[dict[str, Any]], fields: dict[str, dict[str, bytes]], number: int = 0
) -> Path:
    """Write a shard: its cuts, and the members of each field's archive."""
    root.mkdir(parents=True, exist_ok=True)
    lines = "".join(json.dumps(one) + "\n" for one in cuts).encode()
    (root / f"cuts.{number:06d}.jsonl.gz").write_bytes(gzip.compress(lines))
    for name, members in fields.items():
        (root / f"{name}.{number:06d}.tar").write_bytes(tars.archive(members))
    return root


def pairs(numbers: list[int]) -> dict[str, bytes]:
    """Return the members of an archive of recordings."""
    members = {}
    for number in numbers:
        members[f"a/{number}.x.flac"] = encoded(number)
        members[f"a/{number}.x.json"] = b"{}"
    return members
