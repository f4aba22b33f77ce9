"""Each accident changes data, and the same seed gives the same damage."""

from __future__ import annotations

from random import Random

import pytest

from .all_attacks import ATTACKS
from .attacks import damage

DATA = bytes(range(1, 256)) * 20
ACCIDENTS = [
    damage.changed_bytes,
    damage.flipped_bits,
    damage.cut_off,
    damage.zeroed,
    damage.inserted,
    damage.removed,
    damage.repeated,
]


@pytest.mark.parametrize("accident", ACCIDENTS, ids=lambda accident: accident.__name__)
def test_an_accident_changes_the_data(accident):
    results = {accident(DATA, Random(seed)) for seed in range(20)}
    assert len(results) > 10
    assert sum(result != DATA for result in results) >= len(results) - 1


def test_a_seed_repeats_its_damage():
    assert damage.damaged(DATA, Random(3)) == damage.damaged(DATA, Random(3))


@pytest.mark.parametrize("name", ["resumes", "reader_settings", "operator_graphs", "dali_judge"])
def test_an_attack_runs_in_this_process(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert ATTACKS[name](1) is None
