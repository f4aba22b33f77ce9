"""Readers of data sets on the Hub, through the real client."""

import io
import os
import pickle
import subprocess
import sys
import tarfile

import numpy as np
import pytest

from penstock import ArgumentError, CheckpointError, Pipeline, SourceError, fn
from penstock.readers.hub import service
from penstock.readers.hub.names import hub_name
from penstock.readers.storage.opening import open_storage, read_whole

from .conftest import TOKEN
from .sets import splits, table


def labels(batches=1, batch_size=3, checkpoint=None, **arguments):
    with Pipeline(batch_size=batch_size, num_threads=1, checkpoint=checkpoint) as pipe:
        arguments = {"path": "hf://user/name", "columns": ["label"], "name": "r", **arguments}
        pipe.set_outputs(fn.readers.parquet(**arguments))
        found = [pipe.run()[0].as_array().tolist() for _ in range(batches)]
        return found, pipe.checkpoint()


def test_splits(hub, repo):
    commit = repo.push(splits())
    assert labels(split="train")[0] == [[1, 2, 3]]
    assert labels(split="test", batch_size=1)[0] == [[9]]
    told = (
        r"holds the splits test \(1 file, \d+ bytes\), train \(2 files, [\d,]+ bytes\), .*name the "
        rf"files of one of them: 'hf://datasets/user/name@{commit}/data/train\*'"
    )
    with pytest.raises(ArgumentError, match=told):
        labels()
    with pytest.raises(ArgumentError, match="has no split 'trian'; did you mean 'train'"):
        labels(split="trian")


@pytest.mark.parametrize(
    "path",
    [
        "hf://user/name/data/train-*",
        "hf://user/name/data/train-0000[01]-of-00002.parquet",
        "hf://datasets/user/name@main/**/train-*.parquet",
        "hf://user/name/data/train-{00000..00001}-of-00002.parquet",
    ],
)
def test_patterns(repo, path):
    repo.push(splits())
    assert labels(path=path)[0] == [[1, 2, 3]]


def test_a_pattern_that_names_nothing(repo):
    repo.push(splits())
    with pytest.raises(
        SourceError, match=r"no file matches .*/dat/\*'; it holds data/test-00000-of"
    ):
        labels(path="hf://user/name/dat/*")


def test_requests_are_those_of_http(hub, repo, web):
    files = {
        f"data/train-{i:05}-of-00004.parquet": table(
            *range(100), noise=[os.urandom(10_000) for _ in range(100)]
        )
        for i in range(4)
    }
    repo.push(files)
    web.objects |= files
    labels(4, 100)
    labels(4, 100, path=[f"{web.url}/{name}" for name in files])
    asked = [wanted for _, _, wanted in hub.requests if wanted]
    assert hub.counts() == {"api": 1, "resolve": len(asked)}
    assert len(asked) == len(web.requests) == 8  # the end of each file, and the column
    assert hub.nbytes < 4 * (64 << 10) + 10_000


def test_the_revision_moves_while_it_is_read(hub, repo):
    first = repo.push(splits())
    with Pipeline(batch_size=1, num_threads=1) as pipe:
        path = "hf://user/name"
        pipe.set_outputs(fn.readers.parquet(path=path, columns=["label"], split="train", name="r"))
        assert pipe.run()[0].as_array().tolist() == [1]
        repo.push({"data/train.parquet": table(7, 8, 9)})
        assert [pipe.run()[0].as_array().tolist() for _ in range(2)] == [[2], [3]]
        checkpoint = pipe.checkpoint()
    assert first.encode() in checkpoint
    assert labels(path=path)[0] == [[7, 8, 9]]
    assert labels(checkpoint=checkpoint, split="train", batch_size=1)[0] == [[1]]


def test_a_checkpoint_of_another_commit_is_refused_by_a_running_pipeline(repo):
    repo.push(splits())
    _, checkpoint = labels(split="train")
    repo.push(splits() | {"more": b""})
    with Pipeline(batch_size=1, num_threads=1) as pipe:
        reader = fn.readers.parquet(
            path="hf://user/name", columns=["label"], split="train", name="r"
        )
        pipe.set_outputs(reader)
        pipe.run()
        with pytest.raises(CheckpointError, match="name the commit"):
            pipe.restore(checkpoint)


def test_private_data_need_a_token_that_nobody_sees(repo, monkeypatch):
    repo.push(splits())
    repo.token = TOKEN
    with pytest.raises(FileNotFoundError, match="private"):
        labels(split="train")
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    found, checkpoint = labels(split="train")
    assert found == [[1, 2, 3]]
    assert TOKEN.encode() not in checkpoint
    storage = open_storage("hf://user/name/data/test-00000-of-00001.parquet")
    assert TOKEN not in repr(storage) + storage.name + storage.stamp


def test_gated_data(repo):
    repo.push(splits())
    repo.token, repo.gated = TOKEN, True
    with pytest.raises(PermissionError, match=r"ask for it at http://.*/datasets/user/name, then"):
        labels(split="train")
    with pytest.raises(PermissionError, match="ask for it at"):
        read_whole("hf://user/name/data/test-00000-of-00001.parquet")


def test_options_that_the_hub_does_not_take(repo):
    repo.push(splits())
    with pytest.raises(ArgumentError, match=r"'token' is none .*: set HF_TOKEN"):
        labels(split="train", storage_options={"token": "x"})
    limits = {"limits": {"attempts": 2}}
    assert labels(split="train", storage_options=limits)[0] == [[1, 2, 3]]


def ranges(storage, *offsets):
    buffers = [np.empty(2, np.uint8) for _ in offsets]
    storage.start_read(offsets, buffers).result()
    return [buffer.tolist() for buffer in buffers]


def test_many_ranges_of_a_large_file_are_redirected_once(hub, repo):
    repo.push({"a": bytes(range(200)) * 10})
    hub.redirects = True
    storage = open_storage("hf://user/name/a")
    assert ranges(storage, 0, 10) == [[0, 1], [10, 11]]
    assert hub.counts() == {"api": 1, "resolve": 2, "cdn": 2}
    for at in range(20, 40):
        assert ranges(storage, at) == [[at, at + 1]]
    looked_up = hub.counts()
    assert looked_up["cdn"] == 22
    assert looked_up["resolve"] == service.RANGES_BEFORE_LOOKUP
    assert ranges(pickle.loads(pickle.dumps(storage)), 3) == [[3, 4]]
    hub.signature += 1  # that of the URL has expired
    assert ranges(storage, 50) == [[50, 51]]


def test_the_token_stays_with_the_hub(hub, repo, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    repo.push({"a": bytes(range(200)) * 10})
    hub.redirects = True
    storage = open_storage("hf://user/name/a")
    for at in range(10):
        ranges(storage, at)
    sent = [
        token
        for (_, path, _), token in zip(hub.requests, hub.tokens, strict=True)
        if path.startswith("/cdn/")
    ][service.RANGES_BEFORE_LOOKUP :]
    assert sent
    assert not any(sent)


def archive(*names):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as tar:
        for name in names:
            info = tarfile.TarInfo(f"{name}.txt")
            info.size = len(name)
            tar.addfile(info, io.BytesIO(name.encode()))
    return stream.getvalue()


def texts(**arguments):
    with Pipeline(batch_size=2, num_threads=1) as pipe:
        pipe.set_outputs(fn.readers.webdataset(ext=["txt"], **arguments))
        (batch,) = pipe.run()
        return [bytes(batch.at(i)) for i in range(2)]


def test_tars(repo):
    card = b"---\nconfigs:\n- config_name: x\n  data_files:\n  - path: shards/a*\n---\n"
    repo.push({"shards/a0.tar": archive("a"), "shards/a1.tar": archive("b"), "README.md": card})
    assert texts(paths="hf://user/name", split="train") == [b"a", b"b"]
    assert texts(paths="hf://user/name") == [b"a", b"b"]
    assert texts(paths="hf://user/name/shards/*.tar") == [b"a", b"b"]
    with pytest.raises(ArgumentError, match="has no split 'test'"):
        texts(paths="hf://user/name", split="test")


def test_splits_of_tars_by_name(repo):
    repo.push({"train-0.tar": archive("a", "b"), "test-0.tar": archive("c", "d")})
    assert texts(paths="hf://user/name", split="test") == [b"c", b"d"]
    with pytest.raises(ArgumentError, match="holds the splits test"):
        texts(paths="hf://user/name")


def test_class_folders(repo):
    repo.push({f"train/{name}/{i}.png": name.encode() for name in ("cat", "dog") for i in "01"})
    with Pipeline(batch_size=4, num_threads=1) as pipe:
        reader = fn.readers.file(file_root="hf://user/name/train", name="r")
        pipe.set_outputs(*reader)
        files, numbers = pipe.run()
        assert numbers.as_array().ravel().tolist() == [0, 0, 1, 1]
        assert [bytes(files.at(i)) for i in range(4)] == [b"cat", b"cat", b"dog", b"dog"]
        assert pipe.class_names()["r"] == {"label": ("cat", "dog")}
        assert "@" in files.source_info()[0] or files.source_info()[0] == "cat/0.png"


PROGRAM = """
from penstock import Pipeline, fn
with Pipeline(batch_size=3, num_threads=1) as pipe:
    pipe.set_outputs(fn.readers.parquet(path="hf://user/name", columns=["label"], split="train"))
    print(pipe.run()[0].as_array().tolist())
"""


def test_the_variable_of_the_library_names_the_hub(hub, repo):
    repo.push(splits())
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        capture_output=True,
        text=True,
        timeout=200,
        env={**os.environ, "HF_ENDPOINT": hub.url},
    )
    assert done.stdout.strip() == "[1, 2, 3]", done.stderr


def test_scripts_are_not_run(repo):
    repo.push({"name.py": b"raise SystemExit('it ran')"})
    with pytest.raises(
        SourceError, match=r"no file '\*.parquet' lies in 'hf://datasets/user/name@"
    ):
        labels()
    assert hub_name("hf://user/name").path == ""


def test_names_that_come_with_samples_are_asked_for_once(hub, repo, tmp_path):
    first = repo.push({f"{number}.bin": bytes([number]) for number in range(6)})
    names = tmp_path / "names.txt"
    names.write_text("".join(f"hf://user/name/{number}.bin {number}\n" for number in range(6)))
    with Pipeline(batch_size=2, num_threads=1) as pipe:
        files, numbers = fn.readers.file(file_list=str(names))
        pipe.set_outputs(files, numbers)
        for start in (0, 2, 4):
            files, _ = pipe.run()
            assert [bytes(files.at(row)) for row in range(2)] == [
                bytes([start]),
                bytes([start + 1]),
            ]
            repo.push({"0.bin": b"moved"})
    assert hub.counts()["api"] == 1
    assert all(first in path for _, path, _ in hub.requests if "/resolve/" in path)
