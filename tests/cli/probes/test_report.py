"""What the table and the JSON look like."""

from __future__ import annotations

import io
import json

import pytest

from penstock.cli.probes.examine import Report, lacking
from penstock.cli.probes.finding import Finding, Rate
from penstock.cli.probes.report import as_text, report_as_json, wants_color

LONG = "compatibility mode: the kernel module nvidia-fs is not loaded, and so on and so on"

REPORT = Report(
    about={"penstock": "1.2", "python": "3.11.2"},
    groups={
        "GPU": [
            Finding("NVIDIA driver", "ok", "580.1, CUDA 13.0", values={"cuda": [13, 0]}),
            Finding("cuFile", "limited", LONG, "time", "modprobe nvidia-fs && " + "x" * 20),
        ],
        "Libraries": [
            Finding("obstore", "missing", "not installed", "no s3:// URLs", "pip install")
        ],
    },
    path="/data",
    rates=[
        Rate("preadv", "cold", 1234.5),
        Rate("preadv", "warm", 12345.6),
        Rate("preadv, 4", "cold", 999.4),
        Rate("mmap", "cold", remark="its pages stay in memory"),
        Rate("mmap", "warm", 0.4),
    ],
    not_measured="",
    device="gpu",
    lacking=["CuPy"],
)

TABLE = """\
device 'gpu' does not work on this machine: CuPy
penstock 1.2, python 3.11.2

GPU
  ok       NVIDIA driver  580.1, CUDA 13.0
  limited  cuFile         compatibility mode: the kernel module
                          nvidia-fs is not loaded, and so on and
                          so on
                          costs: time
                          mend: modprobe nvidia-fs && xxxxxxxxxxxxxxxxxxxx

Libraries
  missing  obstore        not installed
                          costs: no s3:// URLs
                          mend: pip install

Reading /data, MB/s    not cached      cached
  preadv                    1,234      12,346
  preadv, 4                   999           -
  mmap                          -           0
- mmap: its pages stay in memory"""


def test_the_table():
    assert as_text(REPORT, 66, color=False) == TABLE


def test_colors_change_nothing_else():
    text = as_text(REPORT, 66, color=True)
    for code in ("31", "32", "33", "0"):
        assert f"\x1b[{code}m" in text
        text = text.replace(f"\x1b[{code}m", "")
    assert text == TABLE


@pytest.mark.parametrize(
    ("terminal", "environment", "color"),
    [
        (True, {}, True),
        (True, {"NO_COLOR": ""}, True),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"TERM": "dumb"}, False),
        (False, {"TERM": "xterm"}, False),
    ],
)
def test_who_gets_colors(terminal, environment, color):
    stream = io.StringIO()
    stream.isatty = lambda: terminal
    assert wants_color(stream, environment) is color


def test_narrow_terminals_still_get_everything():
    words = as_text(REPORT, 10, color=False).split()
    assert words == TABLE.split()


def test_json_holds_everything():
    content = json.loads(report_as_json(REPORT))
    assert content["works"] is False
    assert content["lacking"] == ["CuPy"]
    assert content["findings"]["GPU"][0]["values"] == {"cuda": [13, 0]}
    assert content["findings"]["Libraries"][0]["remedy"] == "pip install"
    assert content["rates"][0] == {
        "way": "preadv",
        "cache": "cold",
        "mb_per_s": 1234.5,
        "remark": "",
    }


def test_what_a_device_lacks():
    cpu = [Finding(name, "ok") for name in ("NumPy", "OpenCV", "simplejpeg")]
    gpu = [Finding(name, "limited") for name in ("NVIDIA driver", "GPUs", "CuPy")]
    assert lacking("cpu", cpu) == []
    assert lacking("cpu", cpu[1:]) == ["NumPy"]
    assert lacking("gpu", cpu) == ["NVIDIA driver", "GPUs", "CuPy"]
    assert lacking("gpu", cpu + gpu) == []
    assert lacking("mixed", [*cpu, *gpu, Finding("nvImageCodec", "broken")]) == ["nvImageCodec"]
