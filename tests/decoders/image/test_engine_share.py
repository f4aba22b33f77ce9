"""How files are shared out between the JPEG engine and CUDA cores."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.decoders.image.engine_share import EngineShare
from penstock.engine.control.engine_share import EngineReading, ShareLimits

STEP = ShareLimits().step
FEW = 1 << 20  # bytes of pixels, too few to judge the engine's rate by
LENGTHS = np.random.default_rng(3).permutation(100) * 1000


def note(share, *reading):
    decisions = {}
    share.note(EngineReading(*reading), decisions)
    return decisions


def helped(share):
    """Return the part of the files that CUDA cores decode."""
    return 1 - len(share.of_engine(LENGTHS)) / len(LENGTHS)


@pytest.mark.parametrize(("load", "count"), [(1.0, 100), (0.75, 75), (0.5, 50), (0.01, 1)])
def test_a_fixed_part_goes_to_the_engine_the_largest_files_first(load, count):
    share = EngineShare(load)
    note(share, FEW, 1.0, 0.0, 0.5, 1.0)
    assert sorted(LENGTHS[share.of_engine(LENGTHS)]) == sorted(LENGTHS)[100 - count :]


def test_the_engine_decodes_all_at_first():
    assert helped(EngineShare(None)) == 0


def test_help_grows_while_the_engine_is_busy_and_leaves_it_something():
    share, parts = EngineShare(None), []
    for _ in range(100):
        note(share, FEW, 0.01, 0.0, 0.5, 1.0)
        parts.append(helped(share))
    assert parts == sorted(parts)
    assert parts[0] == 0  # one call is no proof
    assert parts[30] > 0.4
    assert parts[-1] == pytest.approx(1 - STEP, abs=0.011)
    for count in (1, 2, 8, 30):  # by the engine's calls it is known when help is no longer needed
        assert len(share.of_engine(LENGTHS[:count])) >= 1


def test_help_shrinks_while_the_engine_waits_for_others():
    share = EngineShare(None)
    for _ in range(40):
        note(share, FEW, 0.01, 0.0, 0.5, 1.0)
    most = helped(share)
    for _ in range(10):
        note(share, FEW, 0.01, 0.02, 0.5, 1.0)
    assert 0 < helped(share) < most
    for _ in range(60):
        note(share, FEW, 0.01, 0.02, 0.5, 1.0)
    assert helped(share) == 0


def test_help_stays_while_the_engine_is_nearly_busy():
    share = EngineShare(None)
    for _ in range(20):
        note(share, FEW, 0.01, 0.0, 0.5, 1.0)
    for _ in range(20):
        note(share, FEW, 0.7, 0.3, 0.5, 1.0)
    settled = helped(share)
    for _ in range(20):
        note(share, FEW, 0.7, 0.3, 0.5, 1.0)
    assert helped(share) == settled > 0


def test_one_call_after_a_pause_changes_little():
    share = EngineShare(None)
    for _ in range(40):
        note(share, FEW, 0.01, 0.0, 0.5, 1.0)
    most = helped(share)
    note(share, FEW, 0.01, 100.0, 0.5, 1.0)
    assert helped(share) >= most - 2 * STEP


def test_help_grows_while_lanes_have_batches_and_stays_until_they_wait():
    share = EngineShare(None)
    for _ in range(60):
        note(share, FEW, 0.01, 0.02, 0.0, 1.0)
    most = helped(share)
    assert most > 0.9
    for _ in range(60):
        note(share, FEW, 0.01, 0.02, 0.2, 1.0)
    assert helped(share) >= most
    for _ in range(60):
        note(share, FEW, 0.01, 0.02, 0.4, 1.0)
    assert helped(share) == 0


def test_help_shrinks_while_the_consumer_does_not_wait():
    share = EngineShare(None)
    for _ in range(40):
        note(share, FEW, 0.01, 0.0, 0.5, 1.0)
    assert helped(share) > 0.7
    for _ in range(60):
        note(share, FEW, 0.01, 0.0, 0.0, 0.0)  # although the engine and the lanes are busy
    assert helped(share) == 0


@pytest.mark.parametrize(
    ("waits", "least", "most"), [(0.0, 0.0, 0.0), (0.15, 0.0, 0.05), (1, 0.4, 1)]
)
def test_a_consumer_that_waits_a_little_gets_little_help(waits, least, most):
    share = EngineShare(None)
    for _ in range(50):
        note(share, FEW, 0.01, 0.0, 0.0, waits)
    assert least <= helped(share) <= most


def test_cuda_cores_decode_nearly_all_at_once_if_others_hold_the_engine_up():
    share = EngineShare(None)
    note(share, 64 << 20, 0.01, 0.0, 0.5, 1.0)
    before = helped(share)
    note(share, 64 << 20, 0.02, 0.0, 0.5, 1.0)
    assert before <= helped(share) < 0.1
    note(share, 64 << 20, 0.1, 0.0, 0.5, 1.0)
    assert helped(share) == pytest.approx(1 - STEP, abs=0.011)
    for _ in range(60):  # the consumer does not wait any more
        note(share, 64 << 20, 0.1, 0.0, 0.5, 0.0)
    assert helped(share) == 0


def test_a_decision_says_what_the_rule_has_read():
    share = EngineShare(None)
    assert note(share, FEW, 0.01, 0.0, 0.5, 0.0) == {}
    for _ in range(40):
        decisions = note(share, FEW, 0.01, 0.0, 0.5, 1.0)
    assert decisions["JPEG engine"] == (
        f"CUDA cores decode {share._share.help:.0%} of the files",
        "the engine is busy for 100% of the time, lanes wait for 50%, and the consumer for 99%",
    )
    assert note(EngineShare(0.5), FEW, 0.01, 0.0, 0.5, 1.0) == {}
