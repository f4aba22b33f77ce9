"""DataLoader: the arguments of PyTorch's loader, with the pipeline's outputs in place."""

from __future__ import annotations

import inspect
import multiprocessing
import subprocess
import sys
from collections import namedtuple

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from penstock import fn  # noqa: E402
from penstock.plugin.pytorch.experimental.proxy import DataLoader  # noqa: E402
from penstock.tests.checkout import SOURCES  # noqa: E402

Item = namedtuple("Item", "image label")

data = torch.utils.data


@pytest.fixture(params=[0, 1, 2])
def workers(request):
    return request.param


@pytest.fixture
def server(serve):
    return serve()


@pytest.fixture
def numbered(items, row, server):
    """A data set whose item i is the pair of what stands for 2i, and of i."""
    return items(lambda i: (server.proxy(row(i)), i))


def loops(loader, epochs=1):
    """Return the number in each sample of each batch, of each epoch."""
    result = []
    for _ in range(epochs):
        batches = []
        for images, labels in loader:
            assert images.tolist() == [[2 * i] * 3 for i in labels.tolist()]
            batches.append(labels.tolist())
        result.append(batches)
    return result if epochs > 1 else result[0]


def test_every_batch_comes_in_order_and_the_last_one_is_short(server, numbered, workers):
    loader = DataLoader(server, numbered, batch_size=4, num_workers=workers)
    expected = [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert loops(loader, 2) == [expected, expected]
    assert len(loader) == 3
    assert loader.dataset is numbered


def test_drop_last_shuffle_and_generator_are_those_of_torch(server, numbered, workers):
    def loader(kind, *first):
        return kind(
            *first,
            batch_size=4,
            shuffle=True,
            drop_last=True,
            num_workers=workers,
            generator=torch.Generator().manual_seed(7),
        )

    plain = [batch.tolist() for batch in loader(data.DataLoader, range(10))]
    assert loops(loader(DataLoader, server, numbered)) == plain
    assert len(plain) == 2


def test_samplers_choose_the_batches(server, numbered, workers):
    batches = [[3, 1], [4], [0, 2, 9]]
    loader = DataLoader(server, numbered, batch_sampler=batches, num_workers=workers)
    assert loops(loader) == batches
    loader = DataLoader(server, numbered, 2, sampler=[5, 5, 7], num_workers=workers)
    assert loops(loader) == [[5, 5], [7]]


def test_data_sets_may_be_combined(server, numbered, workers):
    parts = data.ConcatDataset([data.Subset(numbered, [1, 2, 3]), data.Subset(numbered, [9, 8])])
    loader = DataLoader(server, parts, batch_size=2, num_workers=workers)
    assert loops(loader) == [[1, 2], [3, 9], [8]]


class Stream(data.IterableDataset):
    """The items of a data set, shared out among workers."""

    def __init__(self, items):
        self.items = items

    def __iter__(self):
        info = data.get_worker_info()
        first, step = (0, 1) if info is None else (info.id, info.num_workers)
        return (self.items[i] for i in range(first, len(self.items), step))


def test_iterable_data_sets_are_taken(server, numbered, workers):
    loader = DataLoader(server, Stream(numbered), batch_size=2, num_workers=workers)
    expected = {
        0: [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9]],
        1: [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9]],
        2: [[0, 2], [1, 3], [4, 6], [5, 7], [8], [9]],
    }
    assert loops(loader, 2) == [expected[workers]] * 2


def test_persistent_workers_stay(server, numbered):
    loader = DataLoader(
        server, numbered, batch_size=4, num_workers=2, persistent_workers=True, prefetch_factor=3
    )
    assert loops(loader, 3)[0] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert len(multiprocessing.active_children()) >= 2


def test_each_worker_is_prepared(server, items, row):
    def prepare(worker):
        data.get_worker_info().dataset.offset = 100 * (worker + 1)

    numbers = items(lambda i: server.proxy(row(numbers.offset + i)), 4)
    loader = DataLoader(server, numbers, batch_size=2, num_workers=2, worker_init_fn=prepare)
    assert [batch[:, 0].tolist() for batch in loader] == [[200, 202], [404, 406]]


def test_batches_are_what_the_collate_function_makes(server, numbered, workers):
    def collate(samples):
        images, labels = zip(*samples, strict=True)
        return {"images": list(images), "batch": Item(data.default_collate(images), labels)}

    loader = DataLoader(server, numbered, 4, num_workers=workers, collate_fn=collate)
    for batch in loader:
        images, labels = batch["batch"]
        assert images[:, 0].tolist() == [2 * i for i in labels]
        assert torch.equal(torch.stack(batch["images"]), images)


def test_samples_without_collation_are_single_tensors(serve, items, workers):
    server = serve(lambda: fn.external_source(name="data") + 0)
    ragged = items(lambda i: server.proxy(np.full(i, i, np.int32)), 6)
    loader = DataLoader(server, ragged, batch_size=None, num_workers=workers)
    assert [x.tolist() for x in loader] == [[i] * i for i in range(6)]
    loader = DataLoader(server, ragged, batch_size=4, num_workers=workers, collate_fn=list)
    assert [[x.tolist() for x in b] for b in loader][1] == [[4] * 4, [5] * 5]


def test_items_may_hold_placeholders_anywhere_and_call_the_proxy_twice(server, items, workers):
    def item(i):
        one, two = server.proxy(np.int32(i)), server.proxy(np.int32(100 + i))
        return {"pair": Item(one, i), "views": [one, two], "text": str(i)}

    loader = DataLoader(server, items(item), batch_size=4, num_workers=workers)
    last = list(loader)[-1]
    assert last["pair"].image.tolist() == [16, 18]
    assert [view.tolist() for view in last["views"]] == [[16, 18], [216, 218]]
    assert last["text"] == ["8", "9"]


@pytest.mark.parametrize("pixels", [8, 400])  # in the message, and in shared memory
def test_inputs_of_any_size_and_form_reach_the_pipeline(serve, items, pixels, workers):
    def both():
        image, number = fn.external_source(name="image"), fn.external_source(name="number")
        return fn.reshape(image, shape=[-1]), image + number, number

    def picture(i):
        return np.random.default_rng(i).integers(0, 255, (pixels, i + 1, 3), np.uint8)[:, ::-1]

    server = serve(both)
    numbers = items(lambda i: server.proxy(number=float(i), image=picture(i)), 5)
    loader = DataLoader(server, numbers, batch_size=2, num_workers=workers, collate_fn=list)
    flat = [x for batch in loader for x in batch]
    for i, (plain, total, number) in enumerate(flat):
        assert np.array_equal(plain, picture(i).ravel())
        assert np.array_equal(total, picture(i) + np.float32(i))
        assert float(number) == i


def test_two_servers_serve_two_loaders_in_step(serve, items, row):
    servers = [serve() for _ in range(2)]
    loaders = [
        DataLoader(server, items(lambda i, take=server.proxy: take(row(i))), 2, num_workers=1)
        for server in servers
    ]
    for one, other in zip(*loaders, strict=True):
        assert torch.equal(one, other)


def test_one_server_serves_two_loaders_in_step(server, numbered):
    loaders = [DataLoader(server, numbered, 2, num_workers=1) for _ in range(2)]
    for (one, _), (other, _) in zip(*loaders, strict=True):
        assert torch.equal(one, other)


def test_torchs_own_loader_leaves_the_replacement_to_the_program(server, numbered):
    loader = data.DataLoader(numbered, batch_size=4, num_workers=2)
    labels = []
    for batch in loader:
        images, numbers = server.produce_data(batch)
        assert images[:, 0].tolist() == [2 * i for i in numbers.tolist()]
        labels += numbers.tolist()
    assert labels == list(range(10))


@pytest.mark.skipif(
    "in_order" not in inspect.signature(data.DataLoader).parameters,
    reason="this PyTorch returns batches in order",
)
def test_batches_may_come_as_workers_finish_them(server, numbered):
    loader = DataLoader(server, numbered, batch_size=1, num_workers=2, in_order=False)
    assert sorted(loops(loader)) == [[i] for i in range(10)]


PROGRAM = """
import numpy as np
import torch
from penstock import fn, pipeline_def
from penstock.plugin.pytorch.experimental import proxy

@pipeline_def(batch_size=4, num_threads=1)
def doubled():
    return fn.external_source(name="numbers") * 2

class Numbers(torch.utils.data.Dataset):
    def __init__(self, transform):
        self.transform = transform

    def __len__(self):
        return 6

    def __getitem__(self, i):
        return self.transform(np.full((200, 200), i, np.float32))

if __name__ == "__main__":
    for method in ("spawn", "forkserver"):
        with proxy.DALIServer(doubled()) as server:
            loader = proxy.DataLoader(
                server,
                Numbers(server.proxy),
                batch_size=4,
                num_workers=1,
                multiprocessing_context=method,
            )
            print([int(x) for batch in loader for x in batch[:, 7, 7]])
"""


@pytest.mark.slow
def test_workers_may_be_new_interpreters(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    result = subprocess.run(
        [sys.executable, "-W", "error", str(program)],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(SOURCES), "PATH": ""},
        check=False,
    )
    assert result.stderr == ""
    assert result.stdout == "[0, 2, 4, 6, 8, 10]\n" * 2
