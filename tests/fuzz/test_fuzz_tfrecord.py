import random
import zlib

import pytest

from ..readers import tfrecord_files as write
from . import fuzz_tfrecord as fuzz
from .damage import damaged

# An index that lacks records of its file is told; here nobody looks.
pytestmark = pytest.mark.filterwarnings("ignore:.* belong. the records in the others are not read")

TELLING = (0, 1, 0x0A, 0x12, 0x1A, 0x7F, 0x80, 0xFF)

EXAMPLES = [
    write.example({"n": 5, "s": "some text", "v": [1, -2, 300], "f": [1.0, 2.0], "w": "x"}),
    write.example({"w": ["a", "bc"], "other": [1.0], "n": -1, "v": [2**40] * 9}),
    write.example({"n": 1, "s": b"\0" * 300, "unused": "y" * 200}),
    fuzz.USUAL,
    b"",
]
SEQUENCES = [
    write.sequence_example({"n": 1}, {"v": [[1], [], [2, 3]], "w": ["a", "b"], "f": [[1.0, 2.0]]}),
]
FILE = b"".join(write.frame(example) for example in EXAMPLES)
FILES = [FILE, zlib.compress(FILE), write.frame(b"") * 3, b""]
INDEXES = [b"0 16\n16 16\n".ljust(48) + write.frame(b"") * 3]


def inputs():
    """Yield a valid input of each check, as the fuzzer takes it."""
    for number, contents in enumerate((EXAMPLES, SEQUENCES, FILES, INDEXES)):
        for content in contents:
            lead = bytes([number]) + (b"\xff" if number == 0 else b"")
            yield lead, content


@pytest.mark.parametrize("seed", range(8))
def test_random_damage(seed, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/nonexistent")  # set anew for each file
    chance = random.Random(seed)
    valid = list(inputs())
    for _ in range(150):
        lead, content = chance.choice(valid)
        fuzz.check(lead + damaged(content, chance, TELLING))


def test_truncation_at_every_byte(monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/nonexistent")
    for lead, content in inputs():
        for size in range(len(content) + 1):
            fuzz.check(lead + content[:size])


def test_every_single_bit(monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/nonexistent")
    content = FILE[:80]
    for bit in range(8 * len(content)):
        data = bytearray(content)
        data[bit // 8] ^= 1 << bit % 8
        fuzz.check(b"\x02" + bytes(data))
