"""The lines that the child process prints."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict

from penstock.cli.probes.finding import Context
from penstock.tests.checkout import SOURCES

CONTEXT = Context("/a \udcff", cuda=13)


def child(folder, *names):
    """Run jobs in a child; return its lines, its errors and its exit status."""
    command = [sys.executable, "-m", "penstock.cli.probes.child", "jobs_of_test"]
    result = subprocess.run(
        [*command, json.dumps(asdict(CONTEXT)), *names],
        capture_output=True,
        text=True,
        cwd=folder,
        env={
            "PYTHONPATH": os.pathsep.join([str(SOURCES), str(folder)]),
            "PATH": os.environ["PATH"],
        },
        timeout=200,
    )
    return (
        [json.loads(line) for line in result.stdout.splitlines()],
        result.stderr,
        result.returncode,
    )


def jobs(folder, text):
    (folder / "jobs_of_test.py").write_text(
        "import os, sys\n"
        "from penstock.cli.probes.finding import Finding\n"
        f"{text}\n"
        "JOBS = {name: each for name, each in globals().items() if name.startswith('job_')}\n"
    )
    return folder


def test_a_job_has_a_line_at_its_start_and_one_at_its_end(tmp_path):
    folder = jobs(
        tmp_path,
        "def job_one(context):\n"
        "    return Finding('One', 'ok', context.path, values={'c': context.cuda})\n"
        "def job_two(context): return Finding('Two', 'missing')",
    )
    lines, errors, status = child(folder, "job_two", "job_one")
    assert [line.get("start") or line["end"] for line in lines] == ["job_two"] * 2 + ["job_one"] * 2
    assert lines[1]["result"]["status"] == "missing"
    assert lines[3]["result"]["detail"] == "/a \udcff"
    assert lines[3]["result"]["values"] == {"c": 13}
    assert (errors, status) == ("", 0)


def test_a_job_that_raises_does_not_end_the_child(tmp_path):
    folder = jobs(
        tmp_path,
        "def job_bad(context): raise ValueError('no such thing')\n"
        "def job_good(context): return Finding('Good', 'ok')",
    )
    lines, _, status = child(folder, "job_bad", "job_good")
    assert lines[1] == {"end": "job_bad", "error": "ValueError: no such thing"}
    assert lines[3]["result"]["name"] == "Good"
    assert status == 0


def test_the_output_of_libraries_does_not_mix_with_the_lines(tmp_path):
    folder = jobs(
        tmp_path,
        "def job_loud(context):\n"
        "    print('hello', flush=True)\n"
        "    os.write(1, b'from C\\n')\n"
        "    return Finding('Loud', 'ok')",
    )
    lines, errors, _ = child(folder, "job_loud")
    assert len(lines) == 2
    assert errors.split() == ["hello", "from", "C"]


def test_the_child_ends_without_the_work_of_the_interpreter_s_end(tmp_path):
    folder = jobs(
        tmp_path,
        "import atexit\n"
        "atexit.register(lambda: os._exit(7))\n"
        "def job_one(context): return Finding('One', 'ok')",
    )
    assert child(folder, "job_one")[2] == 0


def test_the_job_that_crashed_has_no_last_line(tmp_path):
    folder = jobs(tmp_path, "def job_crash(context): os.abort()")
    lines, _, status = child(folder, "job_crash")
    assert lines == [{"start": "job_crash"}]
    assert status < 0
