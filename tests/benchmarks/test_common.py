import importlib
import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from penstock.benchmarks import common
from penstock.engine.tensors import TensorListCPU


def test_a_ratio_is_the_median_of_the_rounds():
    figure = common.figure_of("read", "records/s", [10, 40, 30], [10, 20, 10])
    assert (figure.ours, figure.theirs) == (30, 10)
    assert (figure.lowest, figure.ratio, figure.highest) == (1, 2, 3)


def test_of_seconds_less_is_better():
    assert common.figure_of("start", "s", [1.0], [2.0]).ratio == 2


def test_without_dali_there_is_no_ratio():
    figure = common.figure_of("read", "records/s", [3, 1, 2], ())
    assert (figure.ours, figure.ratio) == (2, None)


@pytest.mark.parametrize("dtype", ["u1", "f4"])
def test_all_bytes_of_samples_are_copied(dtype):
    arrays = [
        np.arange(6, dtype=dtype).reshape(2, 3),
        np.arange(12, dtype=dtype).reshape(4, 3)[::2],
    ]
    memory = np.zeros(64, np.uint8)
    for array in arrays:
        common.copy_samples(TensorListCPU([array]), memory)
        assert memory[: array.nbytes].tobytes() == array.tobytes()


PROGRAMS = sorted(
    path.stem
    for path in Path(common.__file__).parent.glob("*.py")
    if "common.command_line(" in path.read_text(encoding="utf-8")
)


def test_the_arguments_and_the_record_of_a_benchmark(tmp_path, monkeypatch, capsys):
    parser = common.command_line("Measures.\n\nMore.", rounds=3)
    parser.add_argument("--folder", default="of this machine")
    parser.add_argument("--threads", type=int, default=2)
    turns = []

    def offered(options):
        ours, theirs = (lambda: turns.append("a") or 6.0), (lambda: turns.append("b") or 3.0)
        assert options.threads == 4
        return {"one": ("files/s", ours, theirs), "two": ("files/s", ours, None)}

    file = tmp_path / "record.json"
    line = ["program", "--only", "one", "--threads", "4", "--rounds", "2", "--json", str(file)]
    monkeypatch.setattr("sys.argv", line)
    assert common.main(parser, offered, "a copy", batch=8) == 0
    assert turns == ["a", "b", "a", "b"]
    assert capsys.readouterr().out.splitlines()[1].split()[:3] == ["one", "6.000", "3.000"]
    record = json.loads(file.read_text())
    assert record["figures"] == [asdict(common.Figure("one", "files/s", 6, 3, 2, 2, 2))]
    settings = {"rounds": 2, "only": ["one"], "threads": 4, "other": "a copy", "batch": 8}
    assert record["settings"] == settings
    assert record["hardware"]["cores"] >= 1
    assert "penstock" in record["versions"]
    monkeypatch.setattr("sys.argv", ["program", "--only", "three", "--threads", "4"])
    with pytest.raises(SystemExit, match="2"):
        common.main(parser, offered)
    assert "there is no three; there are: one; two" in capsys.readouterr().err


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_describe_themselves(name, monkeypatch, capsys):
    program = importlib.import_module(f"penstock.benchmarks.{name}")
    monkeypatch.setattr("sys.argv", [name, "--help"])
    with pytest.raises(SystemExit, match="0"):
        program.main()
    shown = capsys.readouterr().out
    assert "--json FILE" in shown
    assert " ".join(program.__doc__.partition("\n")[0].split()) in " ".join(shown.split())
