"""`penstock doctor`, run as users run it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from penstock.cli.probes.cuda import Driver

from .terminals import on_terminal

pytestmark = pytest.mark.timeout(900)  # a dozen libraries are imported, on any machine

LIMIT = ("--limit", "200")  # a busy machine is no failure


def has_driver():
    try:
        return bool(Driver())
    except Exception:
        return False


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("folder")


@pytest.fixture(scope="module")
def as_json(environment, folder):
    """The result for a folder as JSON, --device cpu."""
    result = subprocess.run(
        [sys.executable, "-m", "penstock", "doctor", str(folder), "--json", *LIMIT],
        capture_output=True,
        text=True,
        env=environment,
    )
    assert result.stderr == ""
    return result


@pytest.mark.slow
def test_the_cpu_works_here(as_json):
    assert as_json.returncode == 0
    content = json.loads(as_json.stdout)
    assert content["works"] is True
    assert list(content["findings"]) == ["GPU", "Libraries", "Machine", "Storage"]
    rows = {row["name"]: row for rows in content["findings"].values() for row in rows}
    assert {rows[name]["status"] for name in ("NumPy", "OpenCV", "simplejpeg")} == {"ok"}
    assert {"NVIDIA driver", "CPU", "memory", "open files", "file system"} <= set(rows)
    for row in rows.values():
        if row["status"] == "missing":
            assert row["cost"], row


@pytest.mark.slow
def test_the_folder_was_measured_and_left_empty(as_json, folder):
    content = json.loads(as_json.stdout)
    assert content["path"] == str(folder)
    rates = {(rate["way"], rate["cache"]): rate["mb_per_s"] for rate in content["rates"]}
    for way in ("preadv, 1 thread", "preadv, 4 threads", "mmap"):
        assert rates[way, "warm"] > 0
    assert os.listdir(folder) == []


FEW_LIBRARIES = """
import sys
from penstock.cli.main import main
from penstock.cli.probes import libraries
for name in set(libraries.JOBS) - {"NumPy", "OpenCV", "simplejpeg"}:
    del libraries.JOBS[name]
sys.exit(main())
"""


@pytest.fixture(scope="session")
def command():
    """What starts Penstock, whose doctor looks at a few libraries: to import all takes long."""
    return [sys.executable, "-c", FEW_LIBRARIES]


@pytest.mark.slow
@pytest.mark.skipif(has_driver(), reason="this machine has a driver")
def test_the_gpu_does_not_work_without_a_driver(run, tmp_path):
    (tmp_path / "file").write_bytes(bytes(2 << 20))
    result = run("doctor", tmp_path / "file", "--device", "gpu", *LIMIT)
    assert result.returncode == 1
    assert result.stdout.startswith(
        "device 'gpu' does not work on this machine: NVIDIA driver, GPUs, CuPy\n"
    )
    assert "nvImageCodec" not in result.stdout  # without a driver, advice on libraries is noise
    assert "preadv, 4 threads" in result.stdout
    assert "\x1b" not in result.stdout
    assert os.listdir(tmp_path) == ["file"]


WITH_ODD_JOBS = """
import sys, odd_jobs
from penstock.cli.main import main
from penstock.cli.probes import examine
examine.libraries = odd_jobs
sys.exit(main())
"""


@pytest.mark.slow
def test_probes_that_hang_and_crash_are_reported_in_a_path_that_is_read_only(environment):
    result = subprocess.run(
        [sys.executable, "-c", WITH_ODD_JOBS, "doctor", "/sys", "--json", "--limit", "8"],
        capture_output=True,
        text=True,
        env=environment,
    )
    content = json.loads(result.stdout)
    rows = {row["name"]: row for row in content["findings"]["Libraries"]}
    assert rows["hangs"]["status"] == rows["crashes"]["status"] == "broken"
    assert rows["hangs"]["detail"] == "gave no answer within 8 s (see --limit)"
    assert rows["crashes"]["detail"].startswith("crashed with SIGSEGV")
    assert rows["fine"]["status"] == "ok"
    assert rows["also fine"]["status"] == "limited"
    assert content["rates"] == []
    assert content["not_measured"].startswith("no file can be written in /sys: ")


def test_a_path_that_is_not_there(penstock_in_process, tmp_path):
    result = penstock_in_process("doctor", tmp_path / "nothing", *LIMIT)
    assert result.status == 2
    assert result.errors == f"penstock: error: {tmp_path}/nothing: No such file or directory\n"
    os.mkfifo(tmp_path / "fifo")
    result = penstock_in_process("doctor", tmp_path / "fifo", *LIMIT)
    assert result.status == 2
    assert "neither file nor folder" in result.errors


@pytest.mark.slow
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_removes_the_file(command, environment, tmp_path, number, status):
    ended = 0
    while not ended:  # or the doctor was faster than the signal, as it may be on a busy machine
        process = subprocess.Popen(
            [*command, "doctor", str(tmp_path), *LIMIT],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
        )
        while not os.listdir(tmp_path) and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(number)
        output, errors = process.communicate()
        ended = process.returncode
    assert ended == status
    assert output == errors == b""
    assert os.listdir(tmp_path) == []


@pytest.mark.slow
def test_a_terminal_gets_colors_and_a_spinner(command, environment, tmp_path):
    (tmp_path / "file").write_bytes(b"small")
    shown, status = on_terminal([*command, "doctor", str(tmp_path / "file"), *LIMIT], environment)
    assert status == 0
    assert "\r\x1b[K| " in shown
    assert "\x1b[32mok" in shown
    assert "device 'cpu' works on this machine" in shown
