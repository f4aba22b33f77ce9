"""The report of a benchmark."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from penstock.cli.benchmark.advice import Tried
from penstock.cli.benchmark.measure import Speed
from penstock.cli.benchmark.report import Measurement, as_content, print_report
from penstock.cli.benchmark.turns import Comparison
from penstock.engine.control.readings import Decision
from penstock.engine.work.stats import OperatorStats, PipelineStats

from ...engine.work.test_limit import USUAL

DECODING = {"decoding": ("decode on the GPU: device='mixed'",)}
OPERATORS = (
    OperatorStats("decode", "decoders.image", "workers", 15.0, 1234.56, remedies=DECODING),
    OperatorStats("normalize", "crop_mirror_normalize", "device", 1.0, 5.0),
)
SPEED = Speed(
    0.0421,
    900.0,
    1234.4,
    1200.0,
    1300.0,
    6172,
    5.0,
    PipelineStats(**USUAL | {"operators": OPERATORS}),
)
COMPARISON = Comparison(1200.0, 1000.0, 1.2, 1.1, 1.3, 0.1, SPEED)


def test_the_report_for_people(capsys):
    print_report("train.py:training", Measurement(SPEED, COMPARISON))
    lines = capsys.readouterr().out.splitlines()
    assert lines[:4] == [
        "train.py:training  2 threads, 4 cores",
        "steady  1,234 samples/s  (1,200 to 1,300 in 5.0 s)",
        "start   42 ms to the first batch, 900 samples/s with the warm-up",
        "DALI    1,000 samples/s, Penstock 1,200: ratio 1.20  (1.10 to 1.30 by turns)",
    ]
    assert lines[6].split() == ["workers", "2", "75%", "93%"]
    assert lines[7].split() == ["device", "1", "10%", "-"]
    assert lines[10].split() == ["decoders.image", "workers", "1,234.6", "15.00"]
    assert lines[13].startswith("limit   decoding: decoders.image (decode): 100% of the time")
    assert lines[14].startswith("lift it more workers: num_threads=4")
    assert lines[15].startswith("        decode on the GPU")


def test_decisions_stand_before_the_limit(capsys):
    decided = {"reads": Decision("4 batches at once", "2 took 1.0 ms and 0.5 MB")}
    speed = replace(SPEED, figures=replace(SPEED.figures, decisions=decided))
    print_report("train.py:training", Measurement(speed))
    shown = capsys.readouterr().out
    assert "\nreads   4 batches at once (2 took 1.0 ms and 0.5 MB)\nlimit" in shown
    content = json.loads(json.dumps(as_content("", Measurement(speed))))
    assert content["decisions"]["reads"]["setting"] == "4 batches at once"


def test_a_busy_machine_is_named(capsys):
    print_report("train.py:training", Measurement(replace(SPEED, other_cores=1000.0)))
    assert "\nbusy    other programs used 1000.0 of" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("tried", "lines"),
    [
        (
            Tried({"num_threads": 4}, COMPARISON),
            ("num_threads=4: 1.20 times as fast (1.10 to 1.30 by turns)", "more workers"),
        ),
        (
            Tried({"num_threads": 4}, replace(COMPARISON, ratio=0.7)),
            ("num_threads=4: 0.70 times as fast", "decode on the GPU"),
        ),
        (
            Tried({"num_threads": 4}, None, RuntimeError("no memory")),
            ("num_threads=4: failed: no memory", "decode on the GPU"),
        ),
    ],
)
def test_a_setting_that_was_tried_stays_only_if_it_is_faster(capsys, tried, lines):
    print_report("train.py:training", Measurement(SPEED, tried=tried))
    shown = capsys.readouterr().out.splitlines()
    (at,) = (number for number, line in enumerate(shown) if line.startswith("tried   "))
    assert shown[at].startswith(f"tried   {lines[0]}")
    assert shown[at + 1].startswith(f"lift it {lines[1]}")
    content = as_content("x", Measurement(SPEED, tried=tried))
    assert content["advised"] == tried.advised


def test_the_report_for_programs():
    content = json.loads(json.dumps(as_content("x", Measurement(SPEED, COMPARISON))))
    assert content["limit"]["name"] == "decoding"
    assert content["samples_per_s"] == 1234.4
    assert content["dali"]["ratio"] == 1.2
    assert [stage["name"] for stage in content["stages"]] == ["workers", "device"]
    assert "dali" not in as_content("x", Measurement(SPEED))
