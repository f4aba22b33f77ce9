"""Two ranks of a real process group: shards without arguments, ranks that differ, one state."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from penstock import Pipeline, fn
from penstock.plugin.arrays import GenericIterator

pytest.importorskip("torch", reason="the ranks are those of torch.distributed")

pytestmark = pytest.mark.slow
RANK = """
import json, sys, time

import torch.distributed as dist

rank, store, files, out = int(sys.argv[1]), *sys.argv[2:]

from penstock import ArgumentError, Pipeline, fn
from penstock.engine.ranks import agreement
from penstock.plugin.pytorch import DALIGenericIterator

files = json.loads(files)


def batches(files=files, batch_size=2, name="train", policy="partial", **options):
    pipe = Pipeline(batch_size, 1)
    with pipe:
        _, labels = fn.readers.file(files=files, name=name, pad_last_batch=True, **options)
        pipe.set_outputs(labels, fn.random.uniform())
    options = {"reader_name": name, "last_batch_policy": policy}
    return DALIGenericIterator(pipe, ["label", "chance"], **options)


def labels_of(steps):
    return [n for (batch,) in steps for n in batch["label"].ravel().tolist()]


def error_of(iterator=None, **options):
    iterator = iterator or batches(**options)
    try:
        next(iterator)
    except ArgumentError as error:
        return str(error)
    finally:
        iterator.close()


early = batches()
dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
first = batches(random_shuffle=True)
result = {"epoch": labels_of(first)}
steps = iter(first)
result["begun"] = labels_of([next(steps), next(steps)])
result["state"] = first.state_dict()
result["size"] = error_of(files=files[: len(files) - rank])
result["names"] = error_of(files=files[rank:] + files[:rank])
result["seed"] = error_of(random_shuffle=True, shuffle_seed=rank)
result["batch_size"] = error_of(batch_size=2 + rank)
result["num_shards"] = error_of(shard_id=rank, num_shards=2 + rank)
result["policy"] = error_of(policy=("partial", "drop")[rank])
result["one_shard"] = error_of(shard_id=0, num_shards=2)
result["early"] = error_of(early)
result["own"] = error_of(files=files[: len(files) - rank], num_shards=1)
result["groups"] = error_of(files=files[: len(files) - rank], shard_id=rank, num_shards=3)
result["again"] = error_of()
if rank == 0:
    result["alone"] = error_of(name="alone", shard_id=0, num_shards=1)
    agreement._patience = 0.2
    start = time.monotonic()
    result["missing"] = error_of(name="missing"), time.monotonic() - start
with open(f"{out}/{rank}.json", "w") as file:
    json.dump(result, file)
dist.barrier()
"""

SAMPLES = 23


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    for i in range(SAMPLES):
        (folder / f"{i}.bin").write_bytes(bytes([i]))
    return [str(folder / f"{i}.bin") for i in range(SAMPLES)]


@pytest.fixture(scope="module")
def ranks(files, tmp_path_factory):
    """Return what each of two ranks has seen, and its messages."""
    out = tmp_path_factory.mktemp("ranks")
    last = [str(out / "store"), json.dumps(files), str(out)]
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", RANK, str(rank), *last], stderr=subprocess.PIPE, text=True
        )
        for rank in range(2)
    ]
    try:
        messages = [process.communicate(timeout=100)[1] for process in processes]
    finally:
        for process in processes:
            process.kill()
    assert [process.returncode for process in processes] == [0, 0], messages
    results = [json.loads((out / f"{rank}.json").read_text()) for rank in range(2)]
    return list(zip(results, messages, strict=True))


def test_ranks_read_disjoint_shards(ranks):
    both = [result["epoch"] for result, _ in ranks]
    assert sorted(both[0] + both[1]) == list(range(SAMPLES))
    assert abs(len(both[0]) - len(both[1])) == 1
    for rank, (_, messages) in enumerate(ranks):
        assert messages.count(f"readers.file: shard {rank} of 2, from torch.distributed") == 1


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("size", "number of samples of reader 'train' is 23 on rank 0, 22 on rank 1"),
        ("names", "digest of sample names of reader 'train' is "),
        (
            "seed",
            "in the pipeline with 'train': seed of the order of reader 'train' is 0 on rank 0",
        ),
        ("batch_size", "batch_size is 2 on rank 0, 3 on rank 1"),
        ("policy", "last_batch_policy is PARTIAL on rank 0, DROP on rank 1"),
        ("num_shards", "num_shards of reader 'train' is 2 on rank 0, 3 on rank 1"),
    ],
)
def test_a_mismatch_is_an_error_on_both_ranks(ranks, what, words):
    (one, _), (other, _) = ranks
    assert one[what] == other[what]
    assert words in one[what]
    assert "Give all ranks the same data set" in one[what]


def test_ranks_that_read_one_shard_get_an_error(ranks):
    (one, _), (other, _) = ranks
    assert one["one_shard"] == other["one_shard"]
    assert (
        "so no rank reads another one: shard_id of reader 'train' is 0 on ranks 0 and 1"
        in (one["one_shard"])
    )


def test_a_pipeline_that_was_built_too_early_is_an_error(ranks):
    for result, _ in ranks:
        assert "reads all of the data on each of 2 ranks, because the pipeline" in result["early"]


def test_what_is_no_mismatch(ranks):
    for result, _ in ranks:
        assert (result["own"], result["groups"], result["again"]) == (None, None, None)


def test_a_pipeline_of_one_rank_waits_for_a_limited_time(ranks):
    (result, messages), _ = ranks
    assert result["alone"] is None
    assert result["missing"][0] is None
    assert result["missing"][1] < 20
    assert "'missing': rank 1 did not start this pipeline within 0 s. If only" in messages
    assert "'alone'" not in messages


def test_the_state_of_one_rank_resumes_three(ranks, files):
    (one, _), (other, _) = ranks
    assert one["state"] == other["state"]
    left = []
    for rank in range(3):
        pipe = Pipeline(3, 1, seed=rank)
        with pipe:
            options = {"random_shuffle": True, "shard_id": rank, "num_shards": 3}
            _, labels = fn.readers.file(files=files, name="train", pad_last_batch=True, **options)
            pipe.set_outputs(labels, fn.random.uniform())
        iterator = GenericIterator(
            pipe, ["label", "chance"], reader_name="train", last_batch_policy="partial"
        )
        iterator.load_state_dict(one["state"])
        left += [n for (batch,) in iterator for n in batch["label"].ravel().tolist()]
        iterator.close()
    assert sorted(left + one["begun"] + other["begun"]) == list(range(SAMPLES))
