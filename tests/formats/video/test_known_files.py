import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from penstock.formats.video import known_files
from penstock.formats.video.known_files import KnownFacts, state_of


def test_the_oldest_facts_go(tuned):
    tuned(known_files, MAX_FACTS=2)
    facts = KnownFacts()
    for key in "abac":
        facts.keep(key, key.upper())
    assert [facts.get(key) for key in "abc"] == ["A", None, "C"]


def test_several_threads_keep_facts(tuned):
    tuned(known_files, MAX_FACTS=3)
    facts = KnownFacts()

    def keep(start):
        for number in range(start, start + 2000):
            facts.keep(number % 7, number % 7)
            assert facts.get(number % 5) in (None, number % 5)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(keep, range(4)))
    assert sum(facts.get(number) is not None for number in range(7)) == 3


def test_a_file_that_changes_has_another_state(tmp_path):
    path = str(tmp_path / "a.mp4")
    with pytest.raises(FileNotFoundError):
        state_of(path)
    (tmp_path / "a.mp4").write_bytes(b"abc")
    before = state_of(path)
    assert before == state_of(path)
    os.utime(path, ns=(1, 1))
    assert before != state_of(path)
