"""`penstock convert`: options, messages, the progress bar, and Ctrl-C."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time

import pytest

from penstock import datasets
from penstock.cli.convert import _text
from penstock.datasets import ConvertReport
from penstock.datasets.formats.table import writers
from penstock.testing import made

from .terminals import on_terminal


def test_a_conversion_and_its_report(penstock_in_process, class_folders, tmp_path):
    target = tmp_path / "shards"
    arguments = ["convert", class_folders, target, "--to", "webdataset", "--shard-count", 2]
    result = penstock_in_process(*arguments, "--json")
    assert result.status == 0, result.errors
    report = json.loads(result.output)
    assert (report["samples"], report["shards"], report["format"]) == (6, 2, "webdataset")
    with datasets.open_dataset(target) as made:
        assert sorted(sample.key for sample in made.read(range(6)))[0] == "cats/0"
    assert result.errors == ""


def test_options_reach_the_conversion(penstock_in_process, class_folders, tmp_path):
    (tmp_path / "names").write_text("Cat\nDog\n")
    options = ["--where", "label == 1", "--classes", tmp_path / "names", "--longest-side", 16]
    result = penstock_in_process(
        "convert", class_folders, tmp_path / "out", "--to", "folder", *options
    )
    assert result.status == 0, result.errors
    assert "3 samples in 1 shard of folder" in result.output
    assert "3 samples left out by a list or a filter" in result.output
    assert len(os.listdir(tmp_path / "out" / "Dog")) == 3


def test_sizes_of_shards(penstock_in_process, class_folders, tmp_path):
    result = penstock_in_process(
        "convert", class_folders, tmp_path / "out", "--to", "tfrecord", "--shard-size", "0.5kB"
    )
    assert "6 samples in 6 shards" in result.output
    result = penstock_in_process("convert", "a", "b", "--to", "tfrecord", "--shard-size", "12XB")
    assert result.status == 2
    assert "'12XB' is no size such as 256MB" in result.errors


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--to", "tfrecrd"], "not 'tfrecrd'"),
        (["--to", "webdataset", "--where", "labl == 1"], "no component 'labl'"),
        (["--to", "webdataset", "--engine", "slurm"], "not 'slurm'"),
        (["--to", "webdataset", "--sample", "1.5"], "more than 0 and at most 1"),
        (["--to", "webdataset", "--shard-cuont", "2"], "Possible options: --shard-count"),
        ([], "Missing option '--to'"),
    ],
)
def test_wrong_usage(penstock_in_process, class_folders, tmp_path, options, message):
    result = penstock_in_process("convert", class_folders, tmp_path / "out", *options)
    assert result.status == 2
    assert result.errors.startswith("penstock: error: ")
    assert message in result.errors
    assert not (tmp_path / "out").exists()


def test_a_source_that_is_not_there(penstock_in_process, tmp_path):
    result = penstock_in_process("convert", tmp_path / "no", tmp_path / "out", "--to", "lmdb")
    assert result.status == 2
    assert "there is no such file or folder" in result.errors


def test_a_destination_that_exists(penstock_in_process, class_folders, tmp_path):
    arguments = ["convert", class_folders, tmp_path / "out", "--to", "webdataset"]
    assert penstock_in_process(*arguments).status == 0
    result = penstock_in_process(*arguments)
    assert result.status == 2
    assert "out exists; choose another destination, or pass --overwrite" in result.errors
    assert penstock_in_process(*arguments, "--overwrite").status == 0


def test_a_class_without_a_name(penstock_in_process, class_folders, tmp_path):
    (tmp_path / "names").write_text("Cat\n\n")
    result = penstock_in_process(
        "convert",
        class_folders,
        tmp_path / "out",
        "--to",
        "folder",
        "--classes",
        tmp_path / "names",
    )
    assert result.status == 2
    assert "names, line 2: the name of a class is missing" in result.errors


def test_a_terminal_sees_a_bar_with_rate_and_time_left(
    command, environment, class_folders, tmp_path
):
    shown, status = on_terminal(
        [*command, "convert", str(class_folders), str(tmp_path / "out"), "--to", "webdataset"],
        environment,
    )
    assert status == 0
    assert "6/6" in shown
    assert "100%" in shown
    assert "samples/s" in shown.rpartition("\x1b")[2]


def test_a_disk_that_is_full(environment, class_folders, tmp_path):
    script = (
        "import resource, signal, sys; from penstock.cli.main import main\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))\n"
        "sys.exit(main(['convert', *sys.argv[1:], '--to', 'webdataset']))"
    )
    result = subprocess.run(
        [sys.executable, "-c", script, str(class_folders), str(tmp_path / "out")],
        capture_output=True,
        text=True,
        env=environment,
    )
    assert result.returncode == 1
    assert "File too large" in result.stderr
    assert "--resume" in result.stderr
    assert "Traceback" not in result.stderr
    assert not list(tmp_path.glob("out/*.tar"))


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_conversion_says_how_to_go_on(command, environment, tmp_path, number):
    source = tmp_path / "source" / "a"
    source.mkdir(parents=True)
    for i in range(100):
        (source / f"{i}.jpg").write_bytes(os.urandom(20_000))
    arguments = ["convert", str(source.parent), str(tmp_path / "out"), "--to", "webdataset"]
    arguments += ["--shard-count", "100", "--workers", "1"]
    process = subprocess.Popen(
        [*command, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    while not list(tmp_path.glob("out/*.tar")):
        assert process.poll() is None, process.communicate()
        time.sleep(0.005)
    process.send_signal(number)
    output, errors = process.communicate(timeout=200)
    assert process.returncode == 128 + number
    assert output == ""
    assert errors.startswith("penstock: error: interrupted; the whole shards stay")
    assert "--resume" in errors
    result = subprocess.run(
        [*command, *arguments, "--resume", "--json"],
        capture_output=True,
        env=environment,
        check=True,
    )
    report = json.loads(result.stdout)
    assert report["samples"] == 100
    assert 0 < report["resumed_shards"] < 100


def test_components_are_named_with_commas(penstock_in_process, class_folders, tmp_path):
    arguments = ["convert", class_folders, tmp_path / "out", "--to", "webdataset"]
    result = penstock_in_process(*arguments, "--components", "image, lable")
    assert result.status == 2
    assert "no component 'lable'" in result.errors
    assert penstock_in_process(*arguments, "--components", "image").status == 0
    with datasets.open_dataset(tmp_path / "out") as made:
        assert list(made.schema) == ["image"]


def test_what_the_report_says():
    report = ConvertReport("out", "webdataset", 1, 0, 1, 0, 2048, 0.5)
    assert _text(report) == "out: 1 sample in 1 shard of webdataset, 2 KiB, 0.5 s, 2 samples/s"
    report = ConvertReport("out", "folder", 1200, 3, 4, 2, 9, 0.5, ("skeleton",))
    assert _text(report) == (
        "out: 1,200 samples in 4 shards of folder, 0.5 s; an earlier run wrote 2 of the shards; "
        "3 samples left out by a list or a filter; not converted: skeleton"
    )


def test_help_lists_all_formats(penstock_in_process):
    text = " ".join(penstock_in_process("convert", "--help").output.split())
    text = text.replace("nemo- tar", "nemo-tar")  # where a line ends
    *names, last = writers()
    assert f"Format to write: {', '.join(names)} or {last}." in text


def test_what_is_left_out_is_said(penstock_in_process, class_folders, tmp_path):
    class_folders = shutil.copytree(class_folders, tmp_path / "copy")
    for name in ("notes.txt", "table.csv", "Thumbs.db"):
        (class_folders / "cats" / name).write_bytes(b"..")
    (class_folders / "dogs" / "9.heic").write_bytes(b"..")
    result = penstock_in_process("convert", class_folders, tmp_path / "tars", "--to", "webdataset")
    assert result.output.startswith(f"{tmp_path / 'tars'}: 7 samples in 1 shard")
    said = "files that are no image, sound or video (2, such as cats/notes.txt) are left out"
    assert result.output.endswith(f"; {said}\n")


def test_a_full_disk_gives_one_hint(penstock_in_process, tmp_path):
    source = tmp_path / "source" / "a"
    source.mkdir(parents=True)
    for i in range(20):
        (source / f"{i}.jpg").write_bytes(os.urandom(20_000))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, before[1]))
    try:
        result = penstock_in_process(
            "convert", source.parent, tmp_path / "out", "--to", "webdataset", "--workers", 1
        )
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert result.status == 1
    assert result.errors.count("resume") == 1
    assert result.errors.count("the whole shards stay") == 1
    assert "resume=True" not in result.errors


def test_urls(penstock_in_process, class_folders, tmp_path, monkeypatch, web):
    monkeypatch.chdir(tmp_path)
    shards = tmp_path / "shards"
    datasets.convert(class_folders, shards, to="webdataset")
    for path in shards.iterdir():
        web.objects[f"set/{path.name}"] = path.read_bytes()
    for url in ("https://host/out", f"{web.url}/out"):
        result = penstock_in_process("convert", class_folders, url, "--to", "tfrecord")
        assert result.status == 2
        assert "cannot be written: data sets are written to local" in result.errors
    for url in (f"{web.url}/set", f"{web.url}/set/shard-00000.tar"):
        assert "webdataset, 6 samples" in penstock_in_process("inspect", url).output
        assert penstock_in_process("verify", url, shards).status == 0
    assert penstock_in_process("convert", f"{web.url}/set", "out", "--to", "folder").status == 0
    assert datasets.verify(tmp_path / "out", class_folders).ok
    missing = penstock_in_process("inspect", f"{web.url}/none.tar")
    assert (missing.status, "no such object" in missing.errors) == (2, True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "shards"]


@pytest.mark.parametrize("to", ["filelist", "folder"])
def test_names_that_are_too_long_are_named(penstock_in_process, tmp_path, to):
    sample = datasets.Sample("c/" + "n" * 300, {"data": datasets.Encoded(b"..", "bin"), "label": 0})
    source = made.write(tmp_path / "source", [sample], classes=("c",))
    result = penstock_in_process("convert", source, tmp_path / "out", "--to", to)
    assert result.status == 2
    assert "longer than the file system allows" in result.errors
    assert ".penstock-convert" not in result.errors.partition("the file '")[2].partition("'")[0]
