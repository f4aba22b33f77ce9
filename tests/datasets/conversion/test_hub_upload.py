"""Conversions to the Hub: one commit, which replaces, resumes, and is refused where it must be."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from penstock import ArgumentError, Pipeline, datasets, fn
from penstock.readers.storage.index_cache import cache_folder

from ...hub_server import HubServer, Repo, lead_client

pytest.importorskip("pyarrow")
# huggingface_hub 2.4 calls its own HTTP library in a deprecated way.
pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")


@pytest.fixture
def hub(monkeypatch, tmp_path):
    """A Hub with the empty data set "user/name"; the folder "pets" has ten files in two classes."""
    pytest.importorskip("huggingface_hub")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    write("pets", 10)
    with HubServer() as server:
        lead_client(monkeypatch, server)
        server.repos["user/name"] = Repo()
        server.repos["user/name"].push({".gitattributes": b""})
        yield server


def write(folder, count):
    for number in range(count):
        path = Path(folder, "ab"[number % 2], f"{number}.jpg")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(np.random.default_rng(number).bytes(500 + number))


def files(hub):
    repo = hub.repos["user/name"]
    return repo.commits[repo.branches["main"]]


def commits(hub):
    return sum(path.endswith("/commit/main") for _, path, _ in hub.requests)


@pytest.mark.parametrize(("to", "ending"), [("parquet", "parquet"), ("webdataset", "tar")])
def test_one_commit_has_all_files(hub, to, ending):
    report = datasets.convert("pets", "hf://user/name", to=to, shard_count=3)
    assert report.path == f"hf://datasets/user/name@{hub.repos['user/name'].branches['main']}"
    shards = [f"shard-{i:05}.{ending}" for i in range(3)]
    assert sorted(files(hub)) == sorted([".gitattributes", "README.md", "dataset.json", *shards])
    assert commits(hub) == 1
    assert not any((cache_folder() / "hub").iterdir())
    assert datasets.verify("pets", "hf://user/name").ok
    local = datasets.convert("pets", "local", to=to, shard_count=3)
    assert local.samples == report.samples
    for name in shards:
        assert Path("local", name).read_bytes() == files(hub)[name]


def test_readers_and_the_library_datasets_take_the_result(hub, tmp_path):
    datasets.convert("pets", "hf://user/name", to="parquet", shard_count=2)
    with Pipeline(batch_size=10, num_threads=1) as pipe:
        reader = fn.readers.parquet(path="hf://user/name", columns=["label"], split="train")
        pipe.set_outputs(reader)
        assert sorted(pipe.run()[0].as_array().tolist()) == [0] * 5 + [1] * 5
    library = pytest.importorskip("datasets")
    library.disable_progress_bars()
    for name, content in files(hub).items():
        path = tmp_path / "copy" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    loaded = library.load_dataset(str(tmp_path / "copy"), cache_dir=str(tmp_path / "hf"))
    assert {split: len(rows) for split, rows in loaded.items()} == {"train": 10}


def test_a_data_set_is_replaced_as_a_whole(hub):
    datasets.convert("pets", "hf://user/name", to="webdataset", shard_count=3)
    with pytest.raises(FileExistsError, match=r"holds a data set; .*overwrite=True"):
        datasets.convert("pets", "hf://user/name", to="parquet")
    assert commits(hub) == 1
    datasets.convert("pets", "hf://user/name", to="parquet", shard_count=1, overwrite=True)
    wanted = [".gitattributes", "README.md", "dataset.json", "shard-00000.parquet"]
    assert sorted(files(hub)) == wanted
    assert commits(hub) == 2
    assert datasets.verify("pets", "hf://user/name").ok


def test_files_of_others_stay(hub):
    repo = hub.repos["user/name"]
    repo.push({"README.md": b"mine", "old/a.csv": b"1"})
    with pytest.raises(
        FileExistsError, match=r"holds files, such as 'old/a\.csv', but no data set"
    ):
        datasets.convert("pets", "hf://user/name", to="parquet", overwrite=True)
    datasets.convert("pets", "hf://user/name/new", to="parquet", shard_count=1)
    wanted = ["README.md", "new/dataset.json", "new/shard-00000.parquet", "old/a.csv"]
    assert sorted(files(hub)) == wanted
    assert files(hub)["README.md"] == b"mine"
    assert datasets.verify("pets", "hf://user/name/new").ok


def test_of_two_writers_one_is_refused_and_its_shards_stay(hub, monkeypatch):
    from penstock.datasets.conversion import hub_upload

    publish = hub_upload.HubUpload.publish

    def second_comes_first(self):
        files_before = files(hub)
        hub.repos["user/name"].push(files_before | {"another": b"1"})
        return publish(self)

    monkeypatch.setattr(hub_upload.HubUpload, "publish", second_comes_first)
    with pytest.raises(FileExistsError, match="has a newer commit than") as caught:
        datasets.convert("pets", "hf://user/name", to="parquet")
    (note,) = caught.value.__notes__
    (staged,) = (cache_folder() / "hub").iterdir()
    assert str(staged) in note
    assert sorted(files(hub)) == [".gitattributes", "another"]


def test_what_was_staged_is_not_converted_again(hub):
    hub.refuses_commits = True
    with pytest.raises(PermissionError, match="The Hub refuses access") as caught:
        datasets.convert("pets", "hf://user/name", to="parquet", shard_count=2)
    assert "go on with resume=True" in caught.value.__notes__[0]
    hub.refuses_commits = False
    report = datasets.convert("pets", "hf://user/name", to="parquet", shard_count=2, resume=True)
    assert report.resumed_shards == 2
    assert datasets.verify("pets", "hf://user/name").ok


def test_destinations_that_are_refused(hub):
    commit = hub.repos["user/name"].branches["main"]
    with pytest.raises(ArgumentError, match="names a commit; name a branch"):
        datasets.convert("pets", f"hf://user/name@{commit}", to="parquet")
    with pytest.raises(ArgumentError, match="'folder' writes a file for each sample"):
        datasets.convert("pets", "hf://user/name", to="folder")
    with pytest.raises(FileNotFoundError, match="no such data set on the Hub"):
        datasets.convert("pets", "hf://user/other", to="parquet")
    shutil.rmtree("pets")
    assert commits(hub) == 0
