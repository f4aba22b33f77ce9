"""The Trainer of Hugging Face with iterators as its data sets."""

from __future__ import annotations

import importlib
import json
import os
import sys

import pytest

os.environ["HF_HUB_OFFLINE"] = "1"
torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers", reason="the Trainer of Hugging Face")
pytest.importorskip("accelerate", reason="the Trainer of Hugging Face needs it")

from penstock import MissingDependencyError, Pipeline, fn  # noqa: E402  (only where they are)
from penstock.plugin.pytorch import GenericIterator  # noqa: E402
from penstock.plugin.pytorch.hugging_face import (  # noqa: E402
    STATE_FILE,
    IteratorMixin,
    Trainer,
)

EPOCHS, BATCHES = 3, 8


@pytest.fixture
def batches(numbered_files, pipelines):
    """Makes an iterator over 8 shuffled batches, whose names are those of the model."""

    def make(**options):
        def define():
            _, number = fn.readers.file(files=numbered_files, name="R", random_shuffle=True)
            return {"values": fn.cast(number, dtype="float32"), "labels": number}

        pipelines.append(Pipeline(batch_size=2, num_threads=1, seed=1))
        pipelines[-1].define(define)
        return GenericIterator(pipelines[-1], reader_name="R", batch_form="dict", **options)

    return make


class Model(torch.nn.Module):
    """Records the labels of each batch."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(1, 1)
        self.trained, self.validated = [], []

    def forward(self, values, labels):
        seen = self.trained if self.training else self.validated
        seen.append(labels.ravel().tolist())
        scores = self.layer(values)
        return {"loss": (scores - labels).square().mean(), "logits": scores}


def trainer(folder, training, validation=None, kind=Trainer, compute_metrics=None, **options):
    seq2seq = issubclass(kind, transformers.Seq2SeqTrainer)
    arguments = getattr(transformers, f"{'Seq2Seq' * seq2seq}TrainingArguments")(
        **{
            "output_dir": str(folder),
            "num_train_epochs": EPOCHS,
            "learning_rate": 1e-3,
            "use_cpu": True,
            "report_to": "none",
            "save_strategy": "no",
            "disable_tqdm": True,
            "logging_strategy": "steps",
            "logging_steps": 1,
            **options,
        }
    )
    torch.manual_seed(0)
    return kind(
        Model(),
        arguments,
        train_dataset=training,
        eval_dataset=validation,
        compute_metrics=compute_metrics,
    )


def expected(iterator, epochs=EPOCHS):
    return [batch["labels"].ravel().tolist() for _ in range(epochs) for batch in iterator]


def test_it_trains_validates_and_predicts(batches, tmp_path):
    running = trainer(tmp_path, batches(), batches(), eval_strategy="epoch")
    running.train()
    assert running.model.trained == expected(batches())
    assert len(running.model.validated) == EPOCHS * BATCHES
    logs = [entry for entry in running.state.log_history if "eval_loss" in entry]
    assert [entry["epoch"] for entry in logs] == [1, 2, 3]
    assert running.num_examples(running.get_train_dataloader()) == 16
    predicted = running.predict(batches())
    assert predicted.predictions.shape == (16, 1)
    assert sorted(predicted.label_ids.ravel()) == list(range(16))


def test_metrics_by_the_batch(batches, tmp_path):
    called = []

    def metrics(predictions, compute_result):
        called.append((len(predictions.label_ids), compute_result))
        return {"samples": sum(count for count, _ in called)}

    running = trainer(tmp_path, None, batches(), batch_eval_metrics=True, compute_metrics=metrics)
    assert running.evaluate()["eval_samples"] == 16
    assert called == [(2, False)] * 7 + [(2, True)]


def test_data_sets_by_name_and_of_other_kinds(batches, tmp_path):
    rows = [{"values": torch.ones(1), "labels": torch.ones(1)}] * 4
    running = trainer(tmp_path, rows, {"one": batches(), "two": rows}, num_train_epochs=1)
    running.train()
    metrics = running.evaluate()
    assert {"eval_one_loss", "eval_two_loss"} <= set(metrics)
    assert len(running.model.validated) == BATCHES + 1


def test_other_trainers_of_hugging_face(batches, tmp_path):
    class Own(IteratorMixin, transformers.Seq2SeqTrainer):
        pass

    running = trainer(tmp_path, batches(), kind=Own)
    assert running.get_train_dataloader().batches is running.train_dataset


@pytest.mark.slow
@pytest.mark.parametrize(
    ("steps", "accumulated"), [(3, 1), (BATCHES, 1), (BATCHES + 5, 1), (1, 3), (3, 3), (5, 3)]
)
def test_a_run_resumes(batches, tmp_path, steps, accumulated):
    options = {
        "save_strategy": "steps",
        "save_steps": steps,
        "gradient_accumulation_steps": accumulated,
        "save_total_limit": None,
    }
    unbroken = trainer(tmp_path, batches(), batches(), **options)
    unbroken.train()
    everything = expected(batches())
    assert unbroken.model.trained == everything
    folder = tmp_path / f"checkpoint-{steps}"
    assert json.loads((folder / STATE_FILE).read_text())["checkpoints"]
    resumed = trainer(tmp_path, batches(), batches(), **options)
    resumed.train(resume_from_checkpoint=str(folder))
    per_epoch = -(-BATCHES // accumulated)
    epochs, rest = divmod(steps, per_epoch)
    taken = epochs * BATCHES + rest * accumulated
    assert resumed.model.trained == everything[taken:]
    assert resumed.state.global_step == unbroken.state.global_step == EPOCHS * per_epoch
    for name, weight in unbroken.model.state_dict().items():
        assert torch.equal(weight, resumed.model.state_dict()[name])
    logged = [
        [(entry["step"], entry["epoch"]) for entry in run.state.log_history if "loss" in entry]
        for run in (unbroken, resumed)
    ]
    assert logged[0] == logged[1]


def test_the_latest_checkpoint(batches, tmp_path):
    options = {"save_strategy": "steps", "save_steps": 5, "max_steps": 11}
    trainer(tmp_path, batches(), **options).train()
    resumed = trainer(tmp_path, batches(), **options | {"max_steps": 14})
    resumed.train(resume_from_checkpoint=True)
    assert resumed.model.trained == expected(batches())[11:14]  # the Trainer saves at the end


@pytest.mark.slow
def test_a_checkpoint_of_another_trainer_is_named(batches, tmp_path):
    options = {"save_strategy": "steps", "save_steps": 3, "max_steps": 5}
    trainer(tmp_path, batches(), **options).train()
    (tmp_path / "checkpoint-3" / STATE_FILE).unlink()
    resumed = trainer(tmp_path, batches(), **options)
    with pytest.warns(UserWarning, match="holds no state of the iterator"):
        resumed.train(resume_from_checkpoint=str(tmp_path / "checkpoint-3"))
    assert resumed.model.trained == expected(batches())[3:5]


def test_an_iterator_of_unknown_length_needs_a_number_of_steps(pipelines, tmp_path):
    def make():
        pipelines.append(Pipeline(batch_size=2, num_threads=1))
        pipelines[-1].define(lambda: {"values": fn.random.uniform(shape=[1]), "labels": [1.0]})
        return GenericIterator(pipelines[-1], batch_form="dict")

    running = trainer(tmp_path, make(), max_steps=4)
    running.train()
    assert len(running.model.trained) == 4
    with pytest.raises(ValueError, match="max_steps"):
        trainer(tmp_path, make())


def test_without_transformers(monkeypatch):
    monkeypatch.setitem(sys.modules, "transformers", None)
    monkeypatch.delitem(sys.modules, Trainer.__module__)
    with pytest.raises(MissingDependencyError, match=r"pip install 'transformers\[torch\]'"):
        importlib.import_module(Trainer.__module__)
