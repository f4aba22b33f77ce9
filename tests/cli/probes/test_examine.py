"""The examination of a machine: which probes run, what is lacking, and paths that are refused."""

from __future__ import annotations

import pytest

from penstock.cli.commands import CommandFailed
from penstock.cli.probes import examine as module
from penstock.cli.probes.examine import examine, lacking
from penstock.cli.probes.finding import Context, Finding
from penstock.cli.probes.jobs import Outcome

LIMIT = 50
ALL = ("NumPy", "OpenCV", "simplejpeg", module.gpu.DRIVER, "GPUs", "CuPy", "nvImageCodec")


def findings(**statuses):
    return [Finding(name, statuses.get(name, "ok")) for name in ALL]


def test_nothing_is_lacking_where_all_works():
    for device in ("cpu", "mixed", "gpu"):
        assert lacking(device, findings()) == []


def test_each_device_has_needs_of_its_own():
    without = findings(CuPy="broken", nvImageCodec="missing")
    assert lacking("cpu", without) == []
    assert lacking("gpu", without) == ["CuPy"]
    assert lacking("mixed", without) == ["CuPy", "nvImageCodec"]
    assert lacking("cpu", findings(OpenCV="broken")) == ["OpenCV"]
    assert lacking("gpu", findings(CuPy="limited")) == []
    assert lacking("cpu", []) == ["NumPy", "OpenCV", "simplejpeg"]


def test_a_path_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(CommandFailed, match="gone: No such file or directory"):
        examine(str(tmp_path / "gone"), "cpu", limit=LIMIT)


def test_a_device_file_is_refused():
    with pytest.raises(CommandFailed, match="/dev/null: neither file nor folder"):
        examine("/dev/null", "cpu", limit=LIMIT)


@pytest.fixture
def ran(monkeypatch):
    """Answer all jobs at once; return the calls, and the outcomes that differ by job."""
    calls, others = [], {}

    def run_jobs(name, names, context, *, limit, tick):
        calls.append((name.rpartition(".")[2], list(names), context, limit))
        answers = {}
        for each in names:
            tick(each)
            values = {"file_type": "file", "size": 1 << 30, "cuda": [12, 4]}
            finding = {"name": each, "status": "ok", "values": values}
            rate = {"way": each, "cache": "warm"}
            answers[each] = others.get(each, Outcome(rate if name.endswith("speed") else finding))
        return answers

    monkeypatch.setattr(module, "run_jobs", run_jobs)
    return calls, others


def test_every_group_is_examined(ran, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(bytes(10))
    seen = []
    report = examine(str(path), "gpu", limit=LIMIT, tick=seen.append)
    assert set(report.groups) == {"GPU", "Libraries", "Machine", "Storage"}
    assert report.path == str(path)
    assert report.device == "gpu"
    assert report.lacking == []
    assert {"penstock", "python", "system"} <= set(report.about)
    assert module.gpu.DRIVER in seen
    assert next(call[1] for call in ran[0] if call[0] == "gpu") == [module.gpu.DRIVER]
    contexts = [call[2] for call in ran[0] if call[0] == "libraries"]
    assert contexts == [Context(str(path), cuda=12)]
    limits = {call[0]: call[3] for call in ran[0]}
    assert limits["speed"] == 3 * limits["libraries"]
    assert "write" not in [name for call in ran[0] if call[0] == "speed" for name in call[1]]
    assert len(report.rates) > 0


def test_without_a_driver_no_other_probe_of_the_gpu_runs(ran, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(bytes(10))
    ran[1][module.gpu.DRIVER] = Outcome({"name": module.gpu.DRIVER, "status": "missing"})
    report = examine(str(path), "mixed", limit=LIMIT)
    assert [finding.name for finding in report.groups["GPU"]] == [module.gpu.DRIVER]
    assert report.lacking[:2] == [module.gpu.DRIVER, "GPUs"]


def test_a_job_without_an_answer_is_broken(ran, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(bytes(10))
    ran[1]["NumPy"] = Outcome(fault="crashed with SIGSEGV")
    report = examine(str(path), "cpu", limit=LIMIT)
    [numpy] = [each for each in report.groups["Libraries"] if each.name == "NumPy"]
    assert (numpy.status, numpy.detail) == ("broken", "crashed with SIGSEGV")
    assert report.lacking == ["NumPy"]
