"""Iterators in the loaders of torchdata and PyTorch."""

from __future__ import annotations

from itertools import islice

import pytest

from penstock import ArgumentError, Pipeline, fn

torch = pytest.importorskip("torch")
torchdata = pytest.importorskip("torchdata", reason="torchdata's nodes and StatefulDataLoader")

from torch.utils.data import DataLoader  # noqa: E402  (only where PyTorch is)
from torchdata import nodes  # noqa: E402
from torchdata.stateful_dataloader import StatefulDataLoader  # noqa: E402

from penstock.plugin.pytorch import BatchDataset, GenericIterator  # noqa: E402

# StatefulDataLoader calls a function that PyTorch deprecates.
pytestmark = pytest.mark.filterwarnings("ignore:'set_vital' is deprecated:UserWarning")

BATCHES, EPOCHS = 8, 3


@pytest.fixture
def batches(numbered_files, pipelines):
    """Makes an iterator over 8 shuffled batches."""

    def make(**options):
        def define():
            data, label = fn.readers.file(files=numbered_files, name="R", random_shuffle=True)
            return {"data": data, "label": label}

        pipelines.append(Pipeline(batch_size=2, num_threads=1, seed=1))
        pipelines[-1].define(define)
        return GenericIterator(pipelines[-1], reader_name="R", batch_form="dict", **options)

    return make


def node(batches):
    return nodes.Loader(nodes.IterableWrapper(batches))


def mapped(batches):
    plain = nodes.Mapper(nodes.IterableWrapper(batches), lambda batch: batch | {"extra": 1})
    return nodes.Loader(plain)


def prefetched(batches):
    return nodes.Loader(nodes.Prefetcher(nodes.IterableWrapper(batches), prefetch_factor=2))


def stateful(batches):
    return StatefulDataLoader(BatchDataset(batches), batch_size=None)


LOADERS = [node, mapped, prefetched, stateful]


def labels(loader):
    return [batch["label"].ravel().tolist() for batch in loader]


@pytest.mark.parametrize("kind", [*LOADERS, lambda it: DataLoader(BatchDataset(it), None)])
def test_epochs(batches, kind):
    expected = [labels(batches_of) for batches_of in [batches()] for _ in range(EPOCHS)]
    loader = kind(batches())
    assert [labels(loader) for _ in range(EPOCHS)] == expected
    assert len({tuple(map(tuple, epoch)) for epoch in expected}) == EPOCHS  # shuffled anew


@pytest.mark.parametrize("kind", LOADERS)
@pytest.mark.parametrize("taken", [0, 3, BATCHES, BATCHES + 5])
def test_a_loader_resumes(batches, kind, taken):
    iterator = batches()
    expected = [batch for _ in range(EPOCHS) for batch in labels(iterator)]
    loader = kind(batches())
    epochs, rest = divmod(taken, BATCHES)
    for _ in range(epochs):
        labels(loader)
    if rest:
        assert labels(islice(loader, rest)) == expected[taken - rest : taken]
    state = loader.state_dict()
    again = kind(batches())
    again.load_state_dict(state)
    resumed = labels(again)
    while len(resumed) < EPOCHS * BATCHES - taken:
        resumed += labels(again)
    assert resumed == expected[taken:]


def test_a_loader_of_pytorch_says_how_many_batches_there_are(batches):
    loader = DataLoader(BatchDataset(batches()), batch_size=None)
    assert len(loader) == BATCHES


def test_worker_processes_are_refused(batches):
    loader = DataLoader(BatchDataset(batches(prepare_first_batch=False)), None, num_workers=1)
    with pytest.raises(ArgumentError, match="give the DataLoader num_workers=0"):
        next(iter(loader))
