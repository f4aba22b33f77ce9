"""The quarantine log never ends a run, and is a valid JSON line a record."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from penstock import ArgumentError
from penstock.engine.work.quarantine import QuarantineLog

from ..toys import Numbers, call, make


def lines(path):
    return [json.loads(line) for line in path.read_bytes().splitlines() if line]


def test_records_are_appended(tmp_path):
    path = tmp_path / "bad.jsonl"
    assert all(QuarantineLog(path).append_record({"row": i, "who": "Åsa"}) for i in range(2))
    assert lines(path) == [{"row": 0, "who": "Åsa"}, {"row": 1, "who": "Åsa"}]


def test_names_that_are_not_utf_8_are_escaped(tmp_path):
    path = tmp_path / "bad.jsonl"
    name = os.fsdecode(b"photo\xff.jpg")
    assert QuarantineLog(path).append_record({"source": name})
    path.read_text(encoding="utf-8")
    assert os.fsencode(lines(path)[0]["source"]) == b"photo\xff.jpg"


def test_values_that_json_does_not_know_are_described(tmp_path):
    path = tmp_path / "bad.jsonl"
    assert QuarantineLog(path).append_record({"message": Path("x")})
    assert "x" in lines(path)[0]["message"]


@pytest.mark.parametrize("where", ["missing/bad.jsonl", ".", "\0"])
def test_a_path_that_cannot_be_written_is_refused(tmp_path, where):
    with pytest.raises(ArgumentError, match=r"quarantine_log names .* cannot be written"):
        QuarantineLog(tmp_path / where)


def test_a_full_disk_is_one_warning():
    log = QuarantineLog(Path("/dev/full"))
    with pytest.warns(RuntimeWarning, match="No space left") as caught:
        assert [log.append_record({"row": i}) for i in range(3)] == [False] * 3
    assert len(caught) == 1


def test_a_torn_record_does_not_spoil_the_next_one(tmp_path, monkeypatch):
    path = tmp_path / "bad.jsonl"
    log = QuarantineLog(path)
    opened = Path.open

    class Short:
        def __init__(self, file):
            self.file = file

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self.file.close()

        def write(self, data):
            return self.file.write(data[:5])

    monkeypatch.setattr(Path, "open", lambda *a, **k: Short(opened(*a, **k)))
    with pytest.warns(RuntimeWarning, match="the disk is full"):
        assert not log.append_record({"row": 0})
    monkeypatch.undo()
    assert log.append_record({"row": 1})
    assert json.loads(path.read_bytes().splitlines()[-1]) == {"row": 1}


def test_the_log_is_opened_when_the_pipeline_is_built(tmp_path):
    pipe = make(
        lambda: call(Numbers), on_error="skip", quarantine_log=tmp_path / "missing" / "bad.jsonl"
    )
    with pytest.raises(ArgumentError, match="quarantine_log"):
        pipe.build()


def run_all(pipe, batches):
    for _ in range(batches):
        pipe.run()


def test_a_run_goes_on_without_its_log():
    define = lambda: call(Numbers, size=4000, bad=[1, 5])  # noqa: E731
    with make(define, on_error="skip", quarantine_log="/dev/full") as pipe:
        with pytest.warns(RuntimeWarning, match="quarantine log"):
            run_all(pipe, 3)
        assert pipe.stats().skipped == {"refilled": 2, "not logged": 2}
