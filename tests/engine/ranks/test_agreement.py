"""The comparison of ranks by a store: who waits, who raises, and who takes no part."""

from __future__ import annotations

import os
import threading
import time

import pytest

from penstock import ArgumentError
from penstock.engine.ranks import agreement, discovery, group
from penstock.engine.ranks.agreement import Agreement, agreed_seed, agreement_of, differences
from penstock.engine.ranks.group import Group

distributed = pytest.importorskip("torch.distributed", reason="the store is PyTorch's")


@pytest.fixture(autouse=True)
def _new_process(monkeypatch):
    monkeypatch.setattr(agreement, "_patience", 200.0)
    monkeypatch.setattr(agreement, "_numbered", (None, {}))
    monkeypatch.setattr(agreement, "_LINGER_SECONDS", 1.0)
    monkeypatch.setattr(discovery, "_said", set())


def never():
    return False


def errors_of(facts, delay=0.0, shards=range(4)):
    """Return the error of each rank, or None; rank r starts after r times a delay."""
    store = distributed.HashStore()
    errors = [None] * len(facts)
    one_counts = threading.Lock()

    def run(rank):
        time.sleep(rank * delay)
        own = {"shard_id": shards[rank]} if shards else {}
        with one_counts:
            agreement._numbered = None, {}  # each rank counts by itself
            each = Agreement("p", facts[rank], own, Group(rank, len(facts), store))
        try:
            assert each.check(never)
        except ArgumentError as error:
            errors[rank] = str(error)

    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(len(facts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


@pytest.mark.parametrize("delay", [0.0, 0.1])
def test_all_ranks_raise_the_same_error(delay):
    facts = [{"size": 3, "seed": 1}] * 4
    assert errors_of(facts, delay) == [None] * 4
    for odd in range(4):
        changed = [each | ({"size": 4} if rank == odd else {}) for rank, each in enumerate(facts)]
        first, *others = errors_of(changed, delay)
        assert f"4 on rank {odd}" in first
        assert "seed" not in first
        assert others == [first] * 3


def test_ranks_with_other_divisions_may_read_other_data():
    assert errors_of([{"size": 3}, {"size": 4}], shards=None) == [None, None]


@pytest.mark.parametrize("delay", [0.0, 0.1])
def test_ranks_that_read_one_shard_raise_the_same_error(delay):
    first, *others = errors_of([{"size": 3}] * 4, delay, shards=[1, 0, 3, 1])
    assert "p, so no rank reads another one: shard_id is 1 on ranks 0 and 3. Leave out" in first
    assert others == [first] * 3


def test_a_rank_that_does_not_come_is_waited_for_once(monkeypatch, caplog):
    monkeypatch.setattr(agreement, "_patience", 0.3)
    store = distributed.HashStore()
    first = Agreement("p", {"size": 3}, {"shard_id": 0}, Group(0, 3, store))
    assert not first.check(never)
    assert caplog.messages[0].startswith("p: ranks 1 and 2 did not start this pipeline within 0 s")
    assert agreement._patience == 0
    assert not Agreement("q", {"size": 3}, {"shard_id": 0}, Group(0, 3, store)).check(never)
    assert len(caplog.messages) == 1
    agreement._numbered = None, {}
    late = Agreement("p", {"size": 4}, {"shard_id": 1}, Group(1, 3, store))
    with pytest.raises(ArgumentError, match="size is 3 on rank 0, 4 on rank 1"):
        late.check(never)
    first._next_look = 1e-9  # it looks from time to time
    with pytest.raises(ArgumentError, match="size is 3 on rank 0, 4 on rank 1"):
        first.check(never)


def test_a_pipeline_that_is_closed_does_not_wait():
    start = time.monotonic()
    lonely = Agreement("p", {}, {"shard_id": 0}, Group(0, 2, distributed.HashStore()))
    assert not lonely.check(lambda: True)
    assert time.monotonic() - start < 5


def test_pipelines_of_one_name_are_compared_in_their_order():
    store = distributed.HashStore()
    for rank in range(2):
        agreement._numbered = None, {}
        for size in (3, 5):
            last = Agreement("p", {"size": size}, {"shard_id": rank}, Group(rank, 2, store))
    assert last.check(never)


def test_readers_of_whole_data_take_no_part():
    ranks = Group(0, 2, distributed.HashStore())
    shards = {"all": 0, "part": 0}
    assert agreement_of(ranks, {"all": {"num_shards": 1}}, shards, {}) is None
    readers = {"all": {"num_shards": 1}, "part": {"num_shards": 2}}
    found = agreement_of(ranks, readers, shards, {"b": 1})
    assert found._name == "the pipeline with 'part'"


def test_the_first_seed_counts():
    store = distributed.HashStore()
    assert agreed_seed(Group(0, 2, store), 11, ["r"]) == 11
    assert agreed_seed(Group(0, 2, store), 12, ["r"]) == 12
    agreement._numbered = None, {}
    assert agreed_seed(Group(1, 2, store), 13, ["r"]) == 11
    assert agreed_seed(Group(1, 2, store), 14, ["r"]) == 12


def test_many_ranks_are_named_briefly():
    facts = {rank: {"size": min(rank, 1)} for rank in range(1000)}
    assert differences(facts) == "size is 0 on rank 0, 1 on ranks 1, 2, 3 and 996 more"


@pytest.fixture
def one_group(tmp_path):
    """A process group of one rank that says that it has two."""
    distributed.init_process_group(
        "gloo", init_method=f"file://{tmp_path / 'store'}", rank=0, world_size=1
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distributed, "get_world_size", lambda: 2)
        yield
    distributed.destroy_process_group()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the process is forked")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process_has_no_group(one_group):
    assert group.process_group().world == 2
    child = os.fork()
    if not child:
        os._exit(0 if group.process_group() is None else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert group.process_group().world == 2
