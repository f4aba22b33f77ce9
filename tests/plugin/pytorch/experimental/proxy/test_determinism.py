"""deterministic=True: random numbers follow from the epoch and the sample's index."""

from __future__ import annotations

import inspect
import time

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from penstock import fn  # noqa: E402  (only where PyTorch is)
from penstock.plugin.pytorch.experimental.proxy import DataLoader  # noqa: E402

data = torch.utils.data
HAS_IN_ORDER = "in_order" in inspect.signature(data.DataLoader).parameters


def noisy():
    """Each sample comes with a random number."""
    numbers = fn.external_source(name="numbers")
    return numbers, fn.random.uniform(range=[0, 1])


@pytest.fixture
def drawn(serve, items):
    """Returns the random number of each sample, by its number, of each epoch."""

    def draw(epochs=1, first=0, skip=(), make=None, deterministic=True, **options):
        server = serve(noisy, batch_size=6, deterministic=deterministic)
        take = server.proxy

        def item(i):
            if i % 4 == 0:
                time.sleep(0.03)  # so that batches come out of order
            return take(np.int32(i))

        numbered = items(item, 12)
        loader = DataLoader(server, numbered if make is None else make(numbered), **options)
        loader.epoch = first
        result = []
        for epoch in range(epochs):
            numbers = {}
            for i, noise in loader:
                numbers |= dict(zip(i.tolist(), noise.tolist(), strict=True))
                if epoch in skip:
                    break
            result.append(numbers)
        return result if epochs > 1 else result[0]

    return draw


def test_workers_order_and_batch_size_change_nothing(drawn):
    expected = drawn(batch_size=4)
    assert len(set(expected.values())) == 12
    for options in (
        {"batch_size": 2, "num_workers": 2},
        {"batch_size": 1, "num_workers": 2, "shuffle": True},
        {"batch_size": 3, "num_workers": 1, "sampler": range(11, -1, -1)},
        {"batch_sampler": [[7, 1, 2], [3], [0, 4, 5, 6], [8, 9], (10, 11)]},
    ):
        assert drawn(**options) == expected


@pytest.mark.skipif(not HAS_IN_ORDER, reason="this PyTorch returns batches in order")
def test_batches_out_of_order_have_the_same_numbers(drawn):
    assert drawn(batch_size=1, num_workers=2, in_order=False) == drawn(batch_size=4)


def test_epochs_differ_and_may_be_left_early_and_continued(drawn):
    first, second, third = drawn(3, batch_size=4)
    assert len({first[0], second[0], third[0]}) == 3
    for options in ({}, {"persistent_workers": True}):
        left = drawn(3, skip=(0, 1), batch_size=4, num_workers=2, **options)
        assert left[2] == third
        assert left[1] == {i: second[i] for i in range(4)}
    assert drawn(batch_size=4, first=2) == third


def test_several_views_of_a_sample_differ(serve, items):
    def views(workers, batch_size):
        server = serve(noisy, batch_size=8, deterministic=True)
        take = server.proxy
        loader = DataLoader(
            server,
            items(lambda i: [take(np.int32(i)), take(np.int32(i))], 4),
            batch_size=batch_size,
            num_workers=workers,
        )
        return torch.cat([torch.stack([one[1], two[1]], 1) for one, two in loader]).tolist()

    expected = views(0, 4)
    assert len({number for pair in expected for number in pair}) == 8
    assert views(2, 1) == views(1, 3) == expected


def test_a_sample_that_is_drawn_again_differs(serve, items):
    def noise(workers, batch_size):
        server = serve(noisy, deterministic=True)
        take = server.proxy
        loader = DataLoader(
            server,
            items(lambda i: take(np.int32(i))),
            batch_size=batch_size,
            sampler=[3, 3, 5, 3],
            num_workers=workers,
        )
        return torch.cat([batch[1] for batch in loader]).tolist()

    assert len(set(noise(0, 4))) == 4
    assert noise(2, 1) == noise(1, 2) == noise(0, 4)


def test_the_rows_of_a_collate_function_are_further_views(serve, items):
    server = serve(noisy, batch_size=8, deterministic=True)
    take = server.proxy
    pairs = items(lambda i: [take(np.int32(i)), take(np.int32(i))], 4)

    def flat(samples):
        return data.default_collate([view for sample in samples for view in sample])

    (_, noise) = next(iter(DataLoader(server, pairs, batch_size=4, collate_fn=flat)))
    assert len(set(noise.tolist())) == 8


class Stream(data.IterableDataset):
    def __init__(self, items):
        self.items = items

    def __iter__(self):
        info = data.get_worker_info()
        first, step = (0, 1) if info is None else (info.id, info.num_workers)
        return (self.items[i] for i in range(first, len(self.items), step))


def test_iterable_data_sets_are_counted_by_worker(drawn):
    runs = [drawn(batch_size=1, num_workers=2, make=Stream) for _ in range(2)]
    assert runs[0] == runs[1] == drawn(batch_size=1, make=Stream)
    uneven = [drawn(batch_size=5, num_workers=2, make=Stream) for _ in range(2)]
    assert uneven[0] == uneven[1]
    assert len(set(uneven[0].values())) == 12


def test_keys_that_are_no_integers_stand_in_their_order(serve):
    def noise(workers):
        server = serve(noisy, deterministic=True)
        take = server.proxy

        class Named(data.Dataset):
            def __getitem__(self, key):
                return take(np.int32(len(key)))

        names = ["a", "bb", "ccc", "dddd"]
        loader = DataLoader(server, Named(), 2, sampler=names, num_workers=workers)
        return torch.cat([batch[1] for batch in loader]).tolist()

    assert noise(0) == noise(1)
    assert len(set(noise(0))) == 4


def test_the_order_of_the_batches_is_that_of_the_loop(serve, items):
    """An operator with a state sees the batches in their order."""
    seen = []

    def count(x):
        seen.append(int(x))
        return x

    server = serve(
        lambda: fn.python_function(fn.external_source(name="data"), function=count),
        batch_size=1,
        deterministic=True,
    )

    def item(i):
        if i % 2 == 0:
            time.sleep(0.03)
        return server.proxy(np.int32(i))

    list(DataLoader(server, items(item, 8), num_workers=2))
    assert seen == list(range(8))


def test_without_it_the_pipeline_counts_its_batches(drawn):
    first, second = drawn(2, batch_size=4, deterministic=False)
    assert not set(first.values()) & set(second.values())
