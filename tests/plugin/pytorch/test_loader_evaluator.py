"""LoaderEvaluator: waits are measured, and replay serves batches from memory."""

from __future__ import annotations

import json

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from penstock import ArgumentError, fn, pipeline_def  # noqa: E402  (only where PyTorch is)
from penstock.plugin.pytorch import GenericIterator  # noqa: E402
from penstock.plugin.pytorch.loader_evaluator import LoaderEvaluator  # noqa: E402

METRICS = [
    "mode",
    "total_batches",
    "total_time",
    "avg_batch_time",
    "min_batch_time",
    "max_batch_time",
    "batch_times",
    "cached_batches",
    "cache_ready",
]


@pytest.fixture
def loader():
    return torch.utils.data.DataLoader(range(10), batch_size=4)


def test_log_yields_the_batches_of_the_loader_and_measures_them(loader):
    evaluator = LoaderEvaluator(loader)
    assert evaluator.get_metrics() == {}
    assert [batch.tolist() for batch in evaluator] == [batch.tolist() for batch in loader]
    metrics = evaluator.get_metrics()
    assert list(metrics) == METRICS
    assert (metrics["mode"], metrics["total_batches"], len(evaluator)) == ("log", 3, 3)
    times = metrics["batch_times"]
    assert metrics["min_batch_time"] == min(times)
    assert metrics["max_batch_time"] == max(times)
    assert metrics["total_time"] >= sum(times)


def test_a_loop_that_is_broken_off_has_metrics_too(loader):
    evaluator = LoaderEvaluator(loader)
    for _ in evaluator:
        break
    metrics = evaluator.get_metrics()
    assert metrics["total_batches"] == 1
    assert metrics["total_time"] >= metrics["batch_times"][0]


def test_replay_asks_the_loader_for_no_more_than_it_keeps():
    asked = []

    class Loader:
        def __len__(self):
            return 5

        def __iter__(self):
            for i in range(5):
                asked.append(i)
                yield i

    evaluator = LoaderEvaluator(Loader(), mode="replay", num_cached_batches=2)
    assert [list(evaluator) for _ in range(2)] == [[0, 1, 0, 1, 0]] * 2
    assert asked == [0, 1]
    metrics = evaluator.get_metrics()
    assert (metrics["total_batches"], metrics["cached_batches"]) == (5, 2)
    assert metrics["cache_ready"] is True


def test_replay_of_a_loader_without_a_length_has_epochs_of_its_size():
    class Numbers(torch.utils.data.IterableDataset):
        def __iter__(self):
            return iter(range(7))

    loader = torch.utils.data.DataLoader(Numbers(), batch_size=2)
    evaluator = LoaderEvaluator(loader, mode="replay", num_cached_batches=1)
    assert [batch.tolist() for batch in evaluator] == [[0, 1]] * 4
    assert len(evaluator) == 4


def test_replay_keeps_the_batches_of_a_pipeline_as_they_were():
    @pipeline_def(batch_size=2, num_threads=1)
    def numbers():
        return fn.external_source(lambda i: np.full((2, 3), i), batch=True)

    batches = GenericIterator(numbers(), ["numbers"], size=8)
    evaluator = LoaderEvaluator(batches, mode="replay", num_cached_batches=3)
    values = [int(batch[0]["numbers"][0, 0]) for batch in evaluator]
    assert values == [0, 1, 2, 0]
    batches.close()


def test_metrics_become_a_file(loader, tmp_path, capsys):
    path = tmp_path / "metrics.json"
    evaluator = LoaderEvaluator(loader, metrics_file=path)
    list(evaluator)
    evaluator.save_metrics()
    evaluator.save_metrics(tmp_path / "more.json")
    assert json.loads(path.read_text()) == evaluator.get_metrics()
    assert path.read_text() == (tmp_path / "more.json").read_text()
    LoaderEvaluator(loader).save_metrics()
    printed = capsys.readouterr().out
    assert printed.count("Metrics saved to: ") == 2
    assert "No filename provided" in printed


def test_the_summary_names_sizes_and_times(loader, capsys):
    evaluator = LoaderEvaluator(loader, mode="replay")
    evaluator.print_summary()
    assert "Time" not in capsys.readouterr().out
    list(evaluator)
    evaluator.print_summary()
    printed = capsys.readouterr().out
    for line in (
        "Loader Evaluator Summary:",
        "  Mode: replay",
        "  Dataset size: 10",
        "  Number of batches: 3",
        "  Cache size: 3/20",
        "  Cache ready: True",
        "  Total batches processed: 3",
    ):
        assert f"{line}\n" in printed


def test_wrong_arguments_are_named(loader):
    with pytest.raises(ArgumentError, match="num_cached_batches must be 1 or more, not 0"):
        LoaderEvaluator(loader, num_cached_batches=0)
    with pytest.warns(UserWarning, match="no mode 'reply'"):
        evaluator = LoaderEvaluator(loader, mode="reply")
    assert len(list(evaluator)) == 3
