"""Archives behind URLs that are opened when their turn comes: bytes, counts, resume, damage."""

import io
import json
import pickle
import re
import tarfile
import time
from collections import Counter

import numpy as np
import pytest

from penstock import Pipeline, fn, pipeline_def, types
from penstock.engine.errors import ArgumentError, CheckpointError, SourceError
from penstock.readers.archives.tar_index import index_archive
from penstock.readers.storage import kept
from penstock.readers.storage.damage import STRICT
from penstock.readers.storage.opening import open_storage
from penstock.readers.webdataset.opener import ArchiveOpener
from penstock.readers.webdataset.shards import Shards, shards_of
from penstock.readers.webdataset.walked import WalkedSource, open_walked
from penstock.testing import made
from penstock.testing.readers import SourceConformance, assert_reads
from penstock.tests.checkout import ROOT

from ...conftest import kept_index
from .. import tars
from ..energon_sets import prepared

COUNTS = [7, 4, 6, 5, 8, 3]
SIZE = 300_000
TOTAL = sum(COUNTS)
HEAD = "bytes=0-1023"


@pytest.fixture(autouse=True)
def user_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def archives(web):
    """Put archives on the server; return the URL that names them."""
    random, number = np.random.default_rng(0), 0
    for shard, count in enumerate(COUNTS):
        files = {}
        for _ in range(count):
            files |= {f"{number}.jpg": random.bytes(SIZE), f"{number}.cls": b"%d" % number}
            number += 1
        web.objects[f"a/{shard}.tar"] = tars.archive(files)
        web.tags[f"a/{shard}.tar"] = f'"{shard}"'
    return f"{web.url}/a/{{0..5}}.tar"


@pipeline_def(batch_size=3, num_threads=1)
def labels(path, ahead=None, **options):
    options = {"samples_per_shard": COUNTS, "prefetch_queue_depth": ahead} | options
    return fn.readers.webdataset(
        paths=path, ext=["cls", "jpg"], dtypes=[types.INT32, types.UINT8], name="reader", **options
    )[0]


def epochs(pipe, count=1):
    """Return the labels of epochs, of which the last batch may belong to the next one."""
    read = []
    while len(read) < count * TOTAL:
        read += pipe.run()[0].as_array().ravel().tolist()
    return [read[epoch * TOTAL : (epoch + 1) * TOTAL] for epoch in range(count)]


def fetched(web):
    """Return the bytes that were asked for, by object, without what tells the versions."""
    counted = Counter()
    for path, wanted in web.requests:
        if wanted not in ("", HEAD) and path.endswith(".tar"):
            first, last = map(int, wanted.removeprefix("bytes=").split("-"))
            counted[path] += last - first + 1
    return counted


def walked(shards, opener, options=None):
    return open_walked(shards, STRICT.open(shards.paths, options), opener)


def test_each_byte_comes_once_in_the_first_epoch(web, archives):
    with labels(archives, random_shuffle=True) as pipe:
        first = [pipe.run()[0].as_array().ravel().tolist()]
        assert len(fetched(web)) <= 4  # a window of two shards, and the next one
        while sum(map(len, first)) < TOTAL - 3 * 5:  # other batches are read ahead
            first.append(pipe.run()[0].as_array().ravel().tolist())
        wanted = {name: len(content) for name, content in web.objects.items()}
        until = time.monotonic() + 20
        while fetched(web) != wanted and time.monotonic() < until:
            time.sleep(0.01)  # what is read ahead comes later on a busy machine
        assert fetched(web) == wanted


def test_epochs_hold_each_sample_once(archives):
    with labels(archives, random_shuffle=True, ahead=0) as pipe:
        first, second = epochs(pipe, 2)
    assert sorted(first) == sorted(second) == list(range(TOTAL))
    shards = np.searchsorted(np.cumsum(COUNTS), first, "right").tolist()
    assert len(set(shards[: min(COUNTS[shards[0]], 4)])) <= 2
    again = labels(archives, random_shuffle=True, ahead=3)
    with again as pipe:
        assert epochs(pipe, 2) == [first, second]  # what is cached changes no order


def test_an_order_without_a_shuffle(web, archives):
    with labels(archives) as pipe:
        assert pipe.run()[0].as_array().ravel().tolist() == [0, 1, 2]
        assert set(fetched(web)) <= {f"a/{shard}.tar" for shard in (0, 1, 2, 3)}
        assert epochs(pipe)[0][: TOTAL - 3] == list(range(3, TOTAL))


def test_one_number_with_a_smaller_last_archive(web, archives):
    path = f"{web.url}/a/{{1,5}}.tar"
    with labels(path, samples_per_shard=4, ahead=0) as pipe:
        assert pipe.epoch_size("reader") == 7
    with pytest.raises(SourceError, match=r"5\.tar has 3 samples, but at most 2 by samples_per"):
        labels(path, samples_per_shard=2).build()


@pytest.mark.parametrize("numbers", [[7, 4], [7, 4, 6, 5, 8, -3]])
def test_numbers_fit_the_archives(archives, numbers):
    with pytest.raises(ArgumentError, match=r"samples_per_shard: \d numbers for 6 archives"):
        labels(archives, samples_per_shard=numbers).build()


def test_a_wrong_number_names_both(archives):
    told = [*COUNTS[:2], 9, *COUNTS[3:]]
    with (
        labels(archives, samples_per_shard=told) as pipe,
        pytest.raises(SourceError, match=r"2\.tar has 6 samples, but 9 by samples_per_shard"),
    ):
        epochs(pipe)


def test_numbers_are_verified_of_local_archives(tmp_path, web, archives):
    (tmp_path / "0.tar").write_bytes(web.objects["a/0.tar"])
    with pytest.raises(SourceError, match=r"0\.tar has 7 samples, but at most 6 by"):
        labels(str(tmp_path / "0.tar"), samples_per_shard=6).build()


def test_numbers_of_the_manifest_beside(web, archives):
    files = [{"name": f"{n}.tar", "bytes": 1, "sha256": ""} for n in range(6)]
    pairs = zip(files, COUNTS, strict=True)
    shards = [{"files": [file], "samples": count} for file, count in pairs]
    web.objects["a/dataset.json"] = json.dumps({"shards": shards}).encode()
    with labels(archives, samples_per_shard=None, random_shuffle=True) as pipe:
        pipe.run()
        assert len(fetched(web)) <= 4
        assert pipe.epoch_size("reader") == TOTAL


def test_indexes_beside_give_the_full_shuffle_at_once(tmp_path, web, archives):
    for shard in range(6):
        path = tmp_path / f"{shard}.tar"
        path.write_bytes(web.objects[f"a/{shard}.tar"])
        (tmp_path / f"{shard}.tar.penstock-index").touch()  # which is then renewed
        kept_index(path).unlink(missing_ok=True)
        index_archive(open_storage(path))
        made = (kept_index(path), tmp_path / f"{shard}.tar.penstock-index")
        content = next(one for one in made if one.exists() and one.stat().st_size).read_bytes()
        web.objects[f"a/{shard}.tar.penstock-index"] = content
    with labels(archives, random_shuffle=True, ahead=0) as pipe:
        pipe.run()
        assert sum(fetched(web).values()) < 3 * (SIZE + 5000) + 6 * 600_000
        whole = {len(content) for content in web.objects.values()}
        assert whole.isdisjoint(fetched(web).values())
        assert len({*epochs(pipe)[0]}) > TOTAL - 4
    web.requests.clear()
    web.objects["a/2.tar.penstock-index"] = web.objects["a/1.tar.penstock-index"]
    with labels(archives, random_shuffle=True, ahead=0) as pipe:
        assert sorted(epochs(pipe)[0]) == list(range(TOTAL))


def test_numbers_of_wids(web, archives):
    listed = [{"url": f"{n}.tar", "nsamples": count} for n, count in enumerate(COUNTS)]
    web.objects["a/index.json"] = json.dumps({"wids_version": 1, "shardlist": listed}).encode()
    with labels(f"{web.url}/a/index.json", samples_per_shard=None) as pipe:
        assert pipe.epoch_size("reader") == TOTAL
        assert pipe.run()[0].as_array().ravel().tolist() == [0, 1, 2]
    for options in ({"split": "train"}, {"config": "en"}):
        with pytest.raises(ArgumentError, match="an index of wids, which lists all its archives"):
            shards_of([f"{web.url}/a/index.json"], **options)


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"[1", "is no index of wids"),
        (b'{"shardlist": [{"url": "/etc/passwd", "nsamples": 1}]}', "names a file of this machine"),
        (b'{"shardlist": [{"url": "a.tar", "nsamples": -1}]}', "'a.tar' with -1 samples is no arc"),
    ],
)
def test_damaged_indexes_of_wids(web, content, error):
    web.objects["index.json"] = content
    with pytest.raises(SourceError, match=error):
        shards_of([f"{web.url}/index.json"])


def test_numbers_of_energon(tmp_path, web):
    prepared(tmp_path, exclude=["shard-001.tar/c"])
    for path in tmp_path.rglob("*"):
        if path.is_file():
            web.objects[f"e/{path.relative_to(tmp_path)}"] = path.read_bytes()

    @pipeline_def(batch_size=1, num_threads=1)
    def of_split():
        return fn.readers.webdataset(
            paths=f"{web.url}/e/",
            split="train",
            ext=["label"],
            dtypes=[types.INT32],
            prefetch_queue_depth=0,
            name="reader",
        )

    with of_split() as pipe:
        assert pipe.epoch_size("reader") == 5
        read = [int(pipe.run()[0].at(0)[0])]
        assert [name for name in fetched(web) if name.endswith("002.tar")] == []
        read += [int(pipe.run()[0].at(0)[0]) for _ in range(4)]
    assert read == [0, 1, 3, 4, 5]


def test_archives_without_numbers_are_fetched_once(web, archives, capsys):
    with labels(archives, samples_per_shard=None, random_shuffle=True) as pipe:
        (first,) = epochs(pipe)
    assert sorted(first) == list(range(TOTAL))
    assert fetched(web) == {name: len(content) for name, content in web.objects.items()}


def test_archives_that_are_too_large_to_be_kept(archives, tuned):
    tuned(kept, WALKED_BYTES=1000, KEPT_BYTES=1000)
    for told in (COUNTS, None):
        with labels(archives, samples_per_shard=told, random_shuffle=True) as pipe:
            assert sorted(epochs(pipe)[0]) == list(range(TOTAL))


@pytest.mark.parametrize("taken", [1, 4, 8])
def test_a_walk_goes_on_with_other_ranks(archives, taken):
    options = {"random_shuffle": True, "ahead": 0}
    read = []
    for rank in range(2):
        with labels(archives, shard_id=rank, num_shards=2, **options) as pipe:
            for _ in range(taken):
                read += pipe.run()[0].as_array().ravel().tolist()
            saved = pipe.checkpoint()
    read = read[: 2 * 3 * taken]
    for rank in range(3):
        pipe = labels(archives, shard_id=rank, num_shards=3, checkpoint=saved, **options)
        with pipe:
            left = (TOTAL - 6 * taken if 6 * taken < TOTAL else 0) // 3 + 3
            for _ in range(-(-left // 3)):
                current = pipe.run()[0].as_array().ravel().tolist()
                read += current
    assert set(read) == set(range(TOTAL))


def test_a_checkpoint_goes_on_exactly(archives):
    with labels(archives, random_shuffle=True) as pipe:
        for _ in range(4):
            pipe.run()
        saved = pipe.checkpoint()
        expected = [pipe.run()[0].as_array().ravel().tolist() for _ in range(20)]
    with labels(archives, random_shuffle=True, checkpoint=saved) as pipe:
        assert [pipe.run()[0].as_array().ravel().tolist() for _ in range(20)] == expected
    other = [COUNTS[1], COUNTS[0], *COUNTS[2:]]
    with pytest.raises(CheckpointError, match="shards with other numbers of samples"):
        labels(archives, random_shuffle=True, samples_per_shard=other, checkpoint=saved).build()


def test_a_damaged_archive_costs_its_samples_alone(web, archives, tmp_path):
    whole = web.objects["a/4.tar"]
    web.objects["a/4.tar"] = whole[:700_000]  # in the third sample
    log = tmp_path / "log"
    pipe = labels(archives, random_shuffle=True, on_error="skip", quarantine_log=str(log))
    with pipe:
        (first,) = epochs(pipe)
    lost = set(range(TOTAL)) - set(first)
    assert lost <= set(range(22, 30))
    assert len(lost) == 6
    reasons = [json.loads(line) for line in log.read_text().splitlines()]
    assert all("4.tar" in str(reason) for reason in reasons)


def test_a_missing_archive_is_left_out(web, archives):
    del web.objects["a/2.tar"]
    with (
        pytest.warns(RuntimeWarning, match="1 file is damaged"),
        labels(archives, random_shuffle=True, on_error="skip") as pipe,
    ):
        assert pipe.epoch_size("reader") == TOTAL - COUNTS[2]


@pytest.mark.parametrize("fault", ["503", "cut", "drop"])
def test_faults_that_pass(web, archives, fault):
    with labels(archives, random_shuffle=True, ahead=0) as pipe:
        web.faults.extend([fault, fault])
        assert sorted(epochs(pipe)[0]) == list(range(TOTAL))


class TestSource(SourceConformance):
    @pytest.fixture
    def expected(self, web, archives):
        samples = []
        for shard in range(len(COUNTS)):
            with tarfile.open(fileobj=io.BytesIO(web.objects[f"a/{shard}.tar"])) as archive:
                files = {each.name: archive.extractfile(each).read() for each in archive}
            images = [name for name in files if name.endswith("jpg")]
            samples += [
                (
                    np.array([int(files[f"{name[:-4]}.cls"])], np.int32),
                    np.frombuffer(files[name], np.uint8),
                )
                for name in images
            ]
        return samples

    @pytest.fixture
    def source(self, archives):
        shards = shards_of([archives])
        shards.declare(COUNTS)
        opener = ArchiveOpener(("cls", "jpg"), (np.int32, np.uint8), "empty", None, "first")
        source = walked(shards, opener)
        yield source
        source.close()

    def test_pickles_before_the_first_read(self, source, expected):
        """A location has key and offset once its archive is open."""
        copy = pickle.loads(pickle.dumps(source))
        assert_reads(copy, np.arange(len(expected)), expected)
        assert source.where(0).endswith("/a/0.tar, sample 0")
        assert_reads(source, np.arange(len(expected)), expected)
        assert copy.where(0) == source.where(0)

    def test_samples_come_from_several_archives(self, source):
        indices = np.array([0, 29, 8, 0, 12])
        numbers, images = source.read(indices, np.empty)
        assert np.asarray(numbers).ravel().tolist() == indices.tolist()
        assert {len(image) for image in images} == {SIZE}
        assert source.where(8).endswith("a/1.tar, sample 1 '8', offset 302080")
        assert source.source_info(8).endswith("8.cls")

    def test_places_of_archives_that_are_not_open(self, source):
        assert source.where(8).endswith("a/1.tar, sample 1")
        assert source.source_info(8) == ""
        with pytest.raises(IndexError):
            source.read(np.array([TOTAL]), np.empty)

    def test_a_copy_opens_the_archives_anew(self, source):
        source.read(np.array([3]), np.empty)
        copy = pickle.loads(pickle.dumps(source))
        assert isinstance(copy, WalkedSource)
        assert np.asarray(copy.read(np.array([3]), np.empty)[0]).ravel().tolist() == [3]

    def test_a_batch_waits_for_the_front_alone(self, web, source, tuned):
        tuned(kept, PART_BYTES=100_000)
        assert np.asarray(source.read(np.array([1, 0]), np.empty)[0]).ravel().tolist() == [1, 0]
        of_three = len(web.objects["a/0.tar"]) * 3 // COUNTS[0]
        # One more, because samples differ in size; its request may not have come.
        assert 600_000 < fetched(web)["a/0.tar"] <= of_three
        assert source.where(1).endswith("a/0.tar, sample 1 '1', offset 302080")
        for number in range(2, TOTAL):
            assert np.asarray(source.read(np.array([number]), np.empty)[0])[0] == number
        assert source.read(np.array([0, 1]), np.empty)[1][0].size == SIZE
        assert fetched(web) == {name: len(content) for name, content in web.objects.items()}

    def test_memory_is_given_back_for_others(self, web, archives, tuned):
        tuned(kept, WALKED_BYTES=4_000_000, KEPT_BYTES=3_000_000)
        shards = shards_of([archives])
        shards.declare(COUNTS)
        source = walked(shards, ArchiveOpener(("cls",), (np.int32,), "empty", None, "first"))
        for _ in range(2):
            read = [int(source.read(np.array([n]), np.empty)[0][0][0]) for n in range(TOTAL)]
            assert read == list(range(TOTAL))
        whole = {name: len(content) for name, content in web.objects.items()}
        again = fetched(web) - Counter(whole)
        assert set(again) == {f"a/{number}.tar" for number in (0, 1, 2, 3, 5)}
        assert again.total() < 100_000  # by ranges, of labels alone
        source.close()

    def test_a_front_with_exclusions(self, archives, tuned):
        tuned(kept, PART_BYTES=100_000)
        shards = shards_of([archives])
        shards.declare(COUNTS)
        shards.excluded[0] = frozenset([b"0", b"5"])
        opener = ArchiveOpener(("cls", "jpg"), (np.int32, np.uint8), "empty", None, "first")
        source = walked(shards, opener)
        read = [int(source.read(np.array([n]), np.empty)[0][0][0]) for n in range(len(source))]
        assert read == [n for n in range(TOTAL) if n not in (0, 5)]
        source.close()

    def test_a_front_of_an_archive_with_more_samples(self, archives, tuned):
        tuned(kept, PART_BYTES=100_000)
        shards = shards_of([archives])
        shards.declare([3, *COUNTS[1:]])
        opener = ArchiveOpener(("cls", "jpg"), (np.int32, np.uint8), "empty", None, "first")
        source = walked(shards, opener)
        source.read(np.array([0, 1]), np.empty)
        with pytest.raises(SourceError, match=r"0\.tar has 7 samples, but 3 by samples_per_shard"):
            source.read(np.array([2]), np.empty)
        source.close()

    def test_a_part_that_does_not_come_is_asked_for_again(self, web, archives, tuned):
        tuned(kept, PART_BYTES=100_000)
        shards = shards_of([archives], options={"limits": {"attempts": 1}})
        shards.declare(COUNTS)
        opener = ArchiveOpener(("cls", "jpg"), (np.int32, np.uint8), "empty", None, "first")
        source = walked(shards, opener, {"limits": {"attempts": 1}})
        web.always = "503"
        with pytest.raises(SourceError, match="status 503"):
            source.read(np.array([3]), np.empty)
        web.always = ""
        assert np.asarray(source.read(np.array([3]), np.empty)[0])[0] == 3
        source.close()

    def test_counts_of_no_archive(self):
        assert not Shards().are_told


def test_a_service_that_is_down_ends_the_run(web, archives):
    limits = {"limits": {"attempts": 2, "total_seconds": 1}}
    with labels(archives, random_shuffle=True, on_error="skip", storage_options=limits) as pipe:
        web.always = "503"
        with pytest.raises(SourceError, match="status 503"):
            epochs(pipe)


def test_the_page_of_remote_data(web):
    for shard in range(2):
        files = {
            f"{n}.{end}": made.jpeg(n) if end == "jpg" else b"%d" % n
            for n in range(64)
            for end in ("jpg", "cls")
        }
        web.objects[f"{shard}.tar"] = tars.archive(files)
    section = (ROOT / "docs" / "remote.md").read_text().split("## Tar archives start at once")[1]
    code = re.search(r"```python\n(.*?)```", section, re.S)[1].replace("10_000", "64")
    names = {"__name__": "page"}
    exec(code.replace("s3://bucket/train-{00000..01023}", f"{web.url}/{{0..1}}"), names)
    with names["pipe"] as pipe:
        images, labels = pipe.run()
        assert pipe.epoch_size("reader") == 128
    assert len(images) == len(labels) == 64


@pytest.mark.parametrize("shuffle", [False, True])
def test_batches_by_cost(archives, shuffle, monkeypatch):
    cost = {"by": np.arange(1, TOTAL + 1), "budget": 40}
    read, followed, follow = [], [], WalkedSource.follow

    def followed_too(source, shards, most):
        followed.append(shards)
        follow(source, shards, most)

    monkeypatch.setattr(WalkedSource, "follow", followed_too)
    with labels(archives, ahead=2, random_shuffle=shuffle, batch_cost=cost) as pipe:
        for _ in range(100):
            read += pipe.run()[0].as_array().ravel().tolist()
            if len(set(read)) == TOTAL:
                break
    assert set(read) == set(range(TOTAL))
    assert {shard for shards in followed for shard in shards} == set(range(len(COUNTS)))


def test_a_subset_of_the_samples(archives):
    chosen = [30, 2, 11, 12, 29, 3]
    with labels(archives, ahead=2, indices=chosen) as pipe:
        read = [pipe.run()[0].as_array().ravel().tolist() for _ in range(2)]
    assert read == [chosen[:3], chosen[3:]]


def said(caplog):
    return [record.getMessage() for record in caplog.records if record.name == "penstock"]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (
            {"samples_per_shard": None},
            r"6 archives .* before the first batch, .* nothing tells how .* samples_per_shard=",
        ),
        (
            {"missing_component_behavior": "skip"},
            r"6 archives .* before the first batch, .*='skip' .* `penstock index --beside`",
        ),
        (
            {"samples_per_shard": 8, "path": "{4,5}"},
            r"the last archive .* before the first batch, .*samples_per_shard=8: give a list",
        ),
        ({"random_shuffle": True}, "in the first epoch, shards are read whole"),
        (
            {"random_shuffle": True, "shuffle_block": 2},
            r"samples of many archives, because shuffle_block= orders .* `penstock index --beside`",
        ),
        (
            {"random_shuffle": True, "indices": [0, 32, 9, 12]},
            r"samples of many archives, because indices= orders",
        ),
    ],
)
def test_what_is_fetched_before_the_first_batch_is_said_with_its_remedy(
    archives, caplog, monkeypatch, arguments, line
):
    monkeypatch.setattr("penstock.engine.ranks.discovery._said", set())
    path = archives.replace("{0..5}", arguments.pop("path", "{0..5}"))
    with labels(path, **arguments) as pipe:
        pipe.run()
    (told,) = said(caplog)
    assert re.search(line, told)


def test_a_mixture_says_that_its_shuffle_needs_all_archives(archives, caplog, monkeypatch):
    monkeypatch.setattr("penstock.engine.ranks.discovery._said", set())
    with Pipeline(batch_size=3, num_threads=1) as pipe:
        tars_of_one = fn.readers.webdataset(paths=archives, ext=["jpg"], samples_per_shard=COUNTS)
        _, number = fn.readers.mix({"tars": tars_of_one}, random_shuffle=True)
        pipe.set_outputs(number)
        pipe.run()
    (line,) = said(caplog)
    assert "samples of many archives, because fn.readers.mix orders them" in line


def test_local_archives_beside_remote_ones_are_told(tmp_path, archives, caplog, monkeypatch):
    monkeypatch.setattr("penstock.engine.ranks.discovery._said", set())
    local = tmp_path / "local.tar"
    local.write_bytes(tars.archive({"90.jpg": b"", "90.cls": b"90"}))
    with labels([str(local), archives], samples_per_shard=[1, *COUNTS]) as pipe:
        pipe.run()
    (line,) = said(caplog)
    assert re.search("6 archives .* 1 others are local files: use two readers", line)


def test_a_run_that_goes_on_in_a_later_epoch_says_what_it_fetches(
    archives, caplog, monkeypatch, tmp_path
):
    with labels(archives, random_shuffle=True) as pipe:
        epochs(pipe, 1)
        pipe.run()
        checkpoint = pipe.checkpoint()
    monkeypatch.setattr("penstock.engine.ranks.discovery._said", set())
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "another machine's"))
    caplog.clear()
    with labels(archives, random_shuffle=True, checkpoint=checkpoint) as pipe:
        pipe.run()
    (line,) = said(caplog)
    assert "because the run goes on in a later epoch. Each archive is fetched up to" in line
