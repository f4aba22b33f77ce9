"""Accelerate with iterators as its loaders."""

from __future__ import annotations

import importlib
import sys
from itertools import islice

import pytest

torch = pytest.importorskip("torch")
accelerate = pytest.importorskip("accelerate", reason="Accelerate's loops")

from penstock import MissingDependencyError, Pipeline, fn  # noqa: E402  (only where they are)
from penstock.plugin.pytorch import GenericIterator  # noqa: E402
from penstock.plugin.pytorch.accelerate import Loader  # noqa: E402

BATCHES, EPOCHS = 8, 3


@pytest.fixture
def batches(numbered_files, pipelines):
    """Makes an iterator over 8 shuffled batches."""

    def make(**options):
        def define():
            _, number = fn.readers.file(files=numbered_files, name="R", random_shuffle=True)
            return {"number": fn.cast(number, dtype="float32")}

        pipelines.append(Pipeline(batch_size=2, num_threads=1, seed=1))
        pipelines[-1].define(define)
        return GenericIterator(pipelines[-1], **{"reader_name": "R", **options}, batch_form="dict")

    return make


class Run:
    """A training whose steps of the optimizer are recorded by the batches before them."""

    def __init__(self, batches, accumulated, folder=None, **options):
        torch.manual_seed(0)
        self.accelerator = accelerate.Accelerator(
            cpu=True, gradient_accumulation_steps=accumulated, **options
        )
        model = torch.nn.Linear(1, 1)
        optimizer = torch.optim.SGD(model.parameters(), 0.001)
        self.model, self.optimizer = self.accelerator.prepare(model, optimizer)
        self.loader = Loader(batches, self.accelerator)
        self.accelerator.register_for_checkpointing(self.loader)
        if folder is not None:
            self.accelerator.load_state(folder)

    def batches(self, epochs=EPOCHS):
        """Train, and yield each batch and whether the optimizer has made a step for it."""
        for _ in range(self.loader.batches.epoch, epochs):
            for batch in self.loader:
                with self.accelerator.accumulate(self.model):
                    loss = self.model(batch["number"]).square().mean()
                    self.accelerator.backward(loss)
                    self.optimizer.step()
                    self.optimizer.zero_grad()
                    yield batch["number"].ravel().tolist(), self.accelerator.sync_gradients


def weights(run):
    return [weight.tolist() for weight in run.model.parameters()]


def test_an_accumulation_ends_with_the_epoch(batches):
    steps = [stepped for _, stepped in Run(batches(), 3).batches()]
    assert steps == [False, False, True, False, False, True, False, True] * EPOCHS
    assert len(Run(batches(), 3).loader) == BATCHES
    alone = accelerate.data_loader.DataLoaderShard(list(range(BATCHES)))
    ends = [alone.end_of_dataloader for _ in alone]
    loader = Run(batches(), 1).loader
    assert [loader.end_of_dataloader for _ in loader] == ends == [False] * 7 + [True]


@pytest.mark.parametrize("accumulated", [1, 3])
@pytest.mark.parametrize("stop", [3, 4, BATCHES, BATCHES + 5])
def test_a_run_resumes(batches, tmp_path, accumulated, stop):
    first = Run(batches(), accumulated)
    running = first.batches()
    before = list(islice(running, stop))
    first.accelerator.save_state(tmp_path)
    rest = list(running)
    again = Run(batches(), accumulated, tmp_path)
    resumed = list(again.batches())
    assert [batch for batch, _ in resumed] == [batch for batch, _ in rest]
    if stop % BATCHES % accumulated == 0:  # no gradients wait, which Accelerate does not save
        assert resumed == rest
        assert weights(again) == weights(first)
    everything = [batch["number"].ravel().tolist() for it in [batches()] * EPOCHS for batch in it]
    assert [batch for batch, _ in before + rest] == everything


def test_a_loop_that_is_broken_off_leaves_no_loader_behind(batches):
    run = Run(batches(), 1)
    for _ in run.loader:
        break
    assert run.loader.gradient_state.dataloader_references == [None]
    assert len(list(run.loader)) == BATCHES


def test_batches_go_to_the_device(batches):
    run = Run(batches(), 1, dataloader_config=accelerate.DataLoaderConfiguration(non_blocking=True))
    run.loader._device = torch.device("meta")
    assert {batch["number"].device.type for batch in run.loader} == {"meta"}


def test_batches_of_unknown_number(feed_numbers):
    accelerator = accelerate.Accelerator(cpu=True)
    loader = Loader(GenericIterator(feed_numbers(lambda i: i), ["x"]), accelerator)
    assert [loader.end_of_dataloader for _ in loader] == [False] * 3


def test_without_accelerate(monkeypatch):
    monkeypatch.setitem(sys.modules, "accelerate", None)
    monkeypatch.delitem(sys.modules, Loader.__module__)
    with pytest.raises(MissingDependencyError, match="pip install accelerate"):
        importlib.import_module(Loader.__module__)


def test_skip_first_batches_says_what_skips_batches(batches):
    loader = Loader(batches(), accelerate.Accelerator(cpu=True))
    with pytest.raises(AttributeError, match=r"call loader\.load_state_dict\(state\), or accel"):
        accelerate.skip_first_batches(loader, 3)
    rest = [batch["number"].tolist() for batch in islice(loader, 3, None)]
    assert len(rest) == BATCHES - 3
