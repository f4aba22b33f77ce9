"""The fuzz target of audio over random damage."""

import random

import numpy as np
import pytest

from ..sounds import encoded, speech_like
from .damage import damaged
from .fuzz_audio import check

SIGNAL = speech_like(0.08, 8000, channels=2)
FORMS = [
    ("WAV", "PCM_24", 400),
    ("WAV", "FLOAT", 150),
    ("WAV", "MS_ADPCM", 150),
    ("FLAC", "PCM_16", 300),
    ("OGG", "VORBIS", 200),
    ("OGG", "OPUS", 100),
    ("MP3", None, 200),
    ("AIFF", "PCM_16", 200),
]
NUMBERS = (0, 1, 2, 3, 0x7F, 0x80, 0xFE, 0xFF)


@pytest.mark.parametrize(("form", "subtype", "rounds"), FORMS)
def test_damage_raises_errors_of_ours_alone(form, subtype, rounds):
    content = encoded(SIGNAL, 48000 if subtype == "OPUS" else 8000, form, subtype)
    chance = random.Random(7)
    check(content)
    for _ in range(rounds):
        head = chance.random() < 0.6
        size = min(len(content), 120) if head else len(content)
        with np.errstate(all="ignore"):
            check(damaged(content[:size], chance, NUMBERS) + content[size:])


@pytest.mark.parametrize(("form", "subtype"), [form[:2] for form in FORMS])
def test_every_length_of_a_cut_file_is_survived(form, subtype):
    content = encoded(SIGNAL, 48000 if subtype == "OPUS" else 8000, form, subtype)
    for length in [*range(0, 130, 3), *range(130, len(content), max(1, len(content) // 40))]:
        check(content[:length])
