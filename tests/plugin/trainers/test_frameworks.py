"""Loops of training frameworks: no epoch is lost, and a resumed run goes on exactly.

The frameworks themselves run here, on the CPU. Their own warnings are silenced by name.
"""

from __future__ import annotations

import json
import os
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

os.environ["HF_HUB_OFFLINE"] = "1"
torch = pytest.importorskip("torch")

from penstock.plugin.pytorch import GenericIterator  # noqa: E402  (only where PyTorch is)

pytestmark = [
    # Lightning says so of modules that are trained without validation.
    pytest.mark.filterwarnings("ignore:You defined a `validation_step` but have no"),
    # Lightning walks through trees in a way that PyTorch calls deprecated.
    pytest.mark.filterwarnings(r"ignore:`isinstance\(treespec, LeafSpec\)` is:FutureWarning"),
]

EPOCHS = 3
BATCHES = 8


def labels(batch):
    return batch[0]["label"].ravel().tolist()


@pytest.fixture
def batches(numbers):
    """Makes an iterator over 8 shuffled batches."""

    def make(auto_reset=False, **options):
        pipeline = numbers(16, 2, random_shuffle=True, **options)
        return GenericIterator(pipeline, ["label"], reader_name="Reader", auto_reset=auto_reset)

    return make


def by_for(iterator, epochs):
    return [[labels(batch) for batch in iterator] for _ in range(epochs)]


def by_islice(iterator, epochs):
    return [[labels(b) for b in islice(iterator, len(iterator))] for _ in range(epochs)]


def by_zip(iterator, epochs):
    return [[labels(b) for _, b in zip(range(BATCHES), iterator)] for _ in range(epochs)]  # noqa: B905


def by_tqdm(iterator, epochs):
    tqdm = pytest.importorskip("tqdm").tqdm
    bars = [tqdm(iterator, disable=None, leave=False) for _ in range(epochs)]
    seen = [[labels(batch) for batch in bar] for bar in bars]
    assert all(bar.total == BATCHES for bar in bars)
    return seen


def test_a_progress_bar_goes_on_where_the_run_does(batches):
    tqdm = pytest.importorskip("tqdm").tqdm
    iterator = batches()
    next(iterator)
    restored = batches()
    restored.load_state_dict(iterator.state_dict())
    bar = tqdm(restored, initial=restored.step, disable=None, leave=False)
    assert (bar.n, bar.total) == (1, BATCHES)
    assert len(list(bar)) == BATCHES - 1
    bar = tqdm(restored, initial=restored.step, disable=None, leave=False)
    assert bar.n == 0


def model_and_optimizer():
    model = torch.nn.Linear(1, 1)
    return model, torch.optim.SGD(model.parameters(), 0.01)


def lightning_module():
    lightning = pytest.importorskip("lightning")

    class Module(lightning.LightningModule):  # type: ignore[misc, name-defined]
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(1, 1)
            self.trained: list[Any] = [[]]  # in the middle of an epoch none starts
            self.validated: list[Any] = []

        def on_train_epoch_start(self):
            if self.trained[-1]:
                self.trained.append([])

        def on_validation_epoch_start(self):
            self.validated.append([])

        def training_step(self, batch, index):
            self.trained[-1].append(labels(batch))
            return self.layer(batch[0]["label"].float()).mean()

        def validation_step(self, batch, index):
            self.validated[-1].append(labels(batch))

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), 0.01)

    return Module()


def trainer(epochs, folder=None, **options):
    lightning = pytest.importorskip("lightning")
    return lightning.Trainer(
        **{
            "max_epochs": epochs,
            "accelerator": "cpu",
            "devices": 1,
            "logger": False,
            "enable_checkpointing": False,
            "enable_progress_bar": False,
            "enable_model_summary": False,
            "default_root_dir": folder,
            **options,
        }
    )


def by_lightning(iterator, epochs):
    module = lightning_module()
    trainer(epochs).fit(module, iterator)
    return module.trained


def by_accelerate(iterator, epochs):
    accelerator = pytest.importorskip("accelerate").Accelerator(cpu=True)
    model, optimizer, loader = accelerator.prepare(*model_and_optimizer(), iterator)
    seen = []
    for _ in range(epochs):
        seen.append([])
        for batch in loader:
            seen[-1].append(labels(batch))
            accelerator.backward(model(batch[0]["label"].float()).mean())
            optimizer.step()
            optimizer.zero_grad()
    return seen


def by_ignite(iterator, epochs):
    engine = pytest.importorskip("ignite.engine")
    seen = []

    def step(running, batch):
        if running.state.epoch > len(seen):
            seen.append([])
        seen[-1].append(labels(batch))

    engine.Engine(step).run(iterator, max_epochs=epochs)
    return seen


def hugging_face_trainer(iterator, validation=None, callbacks=(), **options):
    transformers = pytest.importorskip("transformers")

    class Trainer(transformers.Trainer):  # type: ignore[misc, name-defined]
        def __init__(self, **options):
            super().__init__(**options)
            self.trained: list[Any] = []
            self.validated: list[Any] = []

        def get_train_dataloader(self):
            return iterator

        def get_eval_dataloader(self, dataset=None):
            return validation

        def training_step(self, model, inputs, count=None):
            epoch = int(self.state.epoch)
            while len(self.trained) <= epoch:
                self.trained.append([])
            self.trained[epoch].append(labels(inputs))
            loss = model(inputs[0]["label"].float()).mean()
            self.accelerator.backward(loss)
            return loss.detach()

        def prediction_step(self, model, inputs, *others, **named):
            self.validated.append(labels(inputs))
            return torch.zeros(()), None, None

    arguments = transformers.TrainingArguments(
        **{
            "use_cpu": True,
            "report_to": "none",
            "save_strategy": "no",
            "disable_tqdm": True,
            "logging_strategy": "no",
            **options,
        }
    )
    return Trainer(
        model=torch.nn.Linear(1, 1),
        args=arguments,
        eval_dataset=None if validation is None else [None],  # the Trainer asks for one
        callbacks=list(callbacks),
    )


def by_hugging_face(iterator, epochs):
    running = hugging_face_trainer(iterator, num_train_epochs=epochs)
    running.train()
    return running.trained


LOOPS = [
    by_islice,
    by_zip,
    by_tqdm,
    by_lightning,
    by_accelerate,
    by_ignite,
    by_hugging_face,
]


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("auto_reset", [False, True])
def test_all_loops_have_the_batches_of_a_plain_loop(
    batches, loop, auto_reset, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    expected = by_for(batches(), EPOCHS)
    assert [len(epoch) for epoch in expected] == [BATCHES] * EPOCHS
    assert loop(batches(auto_reset), EPOCHS) == expected


def test_lightning_validates_on_all_batches_after_its_sanity_check(batches, tmp_path):
    module = lightning_module()
    trainer(EPOCHS, tmp_path).fit(module, batches(), batches())
    assert [len(epoch) for epoch in module.trained] == [BATCHES] * EPOCHS
    assert [len(epoch) for epoch in module.validated] == [2, *[BATCHES] * EPOCHS]
    for epoch in module.validated[1:]:
        assert sorted(n for batch in epoch for n in batch) == list(range(16))


def test_lightning_takes_parts_of_epochs(batches, tmp_path):
    module = lightning_module()
    running = trainer(EPOCHS, tmp_path, limit_train_batches=3, limit_val_batches=2)
    running.fit(module, batches(), batches())
    assert [len(epoch) for epoch in module.trained] == [3] * EPOCHS
    assert module.trained == [epoch[:3] for epoch in by_for(batches(), EPOCHS)]
    assert [len(epoch) for epoch in module.validated] == [2] * (1 + EPOCHS)


@pytest.mark.parametrize("stop", [3, BATCHES, BATCHES + 5, 2 * BATCHES])
def test_lightning_resumes(batches, tmp_path, stop):
    lightning = pytest.importorskip("lightning")

    class Data(lightning.LightningDataModule):  # type: ignore[misc, name-defined]
        """Lightning alone restores no loader at an epoch's end, but it restores data modules."""

        def __init__(self):
            super().__init__()
            self.batches = batches()

        def train_dataloader(self):
            return self.batches

        def state_dict(self):
            return self.batches.state_dict()

        def load_state_dict(self, state_dict):
            self.batches.load_state_dict(state_dict)

    class Save(lightning.Callback):  # type: ignore[misc, name-defined]
        def on_train_batch_end(self, running, *others):
            if running.global_step == stop:
                running.save_checkpoint(tmp_path / "mid.ckpt")

        def on_train_epoch_end(self, running, module):
            if running.global_step == stop:
                running.save_checkpoint(tmp_path / "end.ckpt")

    unbroken = lightning_module()
    trainer(EPOCHS, tmp_path, callbacks=[Save()]).fit(unbroken, datamodule=Data())
    trained = [batch for epoch in unbroken.trained for batch in epoch]
    assert trained == [batch for epoch in by_for(batches(), EPOCHS) for batch in epoch]
    runs = [(path, {"datamodule": Data()}) for path in tmp_path.glob("*.ckpt")]
    runs += [(tmp_path / "mid.ckpt", {"train_dataloaders": batches()})]
    for saved, data in runs:
        resumed = lightning_module()
        running = trainer(EPOCHS, tmp_path)
        running.fit(resumed, **data, ckpt_path=saved)
        assert [batch for epoch in resumed.trained for batch in epoch] == trained[stop:], saved
        assert running.global_step == len(trained)


@pytest.mark.parametrize("stop", [3, BATCHES, BATCHES + 5])
def test_accelerate_resumes(batches, tmp_path, stop):
    accelerate = pytest.importorskip("accelerate")

    def start():
        accelerator = accelerate.Accelerator(cpu=True)
        _, _, loader = accelerator.prepare(*model_and_optimizer(), batches())
        accelerator.register_for_checkpointing(loader)
        return accelerator, loader

    accelerator, loader = start()
    everything = rounds(loader)
    before = list(islice(everything, stop))
    accelerator.save_state(tmp_path)
    resumed, restored = start()
    resumed.load_state(tmp_path)
    assert list(islice(rounds(restored), 20)) == list(islice(everything, 20))
    assert before == list(islice(rounds(batches()), stop))


def rounds(iterator):
    """Return the numbers of epoch after epoch."""
    while True:
        for batch in iterator:
            yield labels(batch)


@pytest.mark.parametrize("stop", [3, BATCHES, BATCHES + 5])
def test_ignite_resumes(batches, stop):
    ignite = pytest.importorskip("ignite.engine")
    expected = [batch for epoch in by_for(batches(), EPOCHS) for batch in epoch]

    def engine_of(seen):
        return ignite.Engine(lambda running, batch: seen.append(labels(batch)))

    first = []
    loader, engine = batches(), engine_of(first)
    engine.add_event_handler(
        ignite.Events.ITERATION_COMPLETED(once=stop), lambda running: running.terminate()
    )
    engine.run(loader, max_epochs=EPOCHS)
    assert first == expected[:stop]
    restored, rest = batches(), []
    restored.load_state_dict(loader.state_dict())
    resumed = engine_of(rest)
    resumed.load_state_dict(
        {"iteration": stop, "max_epochs": EPOCHS, "epoch_length": len(restored)}
    )
    resumed.run(restored)
    assert rest == expected[stop:]


@pytest.mark.parametrize("stop", [3, BATCHES, BATCHES + 5])
def test_ignite_s_checkpoints_hold_the_iterator(batches, tmp_path, stop):
    handlers = pytest.importorskip("ignite.handlers")
    ignite = pytest.importorskip("ignite.engine")

    def run(seen, file=None):
        model, optimizer = model_and_optimizer()
        loader = batches()
        engine = ignite.Engine(lambda running, batch: seen.append(labels(batch)))
        objects = {"engine": engine, "model": model, "optimizer": optimizer, "batches": loader}
        folder = handlers.DiskSaver(tmp_path, require_empty=False)
        saver = handlers.Checkpoint(objects, folder, n_saved=None)
        engine.add_event_handler(ignite.Events.ITERATION_COMPLETED(once=stop), saver)
        if file is not None:
            handlers.Checkpoint.load_objects(objects, torch.load(file, weights_only=True))
        engine.run(loader, max_epochs=EPOCHS)
        return engine.state.iteration

    unbroken, resumed = [], []
    assert run(unbroken) == EPOCHS * BATCHES
    (file,) = tmp_path.glob("*.pt")
    assert run(resumed, file) == EPOCHS * BATCHES
    assert unbroken == [batch for epoch in by_for(batches(), EPOCHS) for batch in epoch]
    assert resumed == unbroken[stop:]


@pytest.mark.slow
@pytest.mark.parametrize("stop", [3, BATCHES, BATCHES + 5])
def test_hugging_face_s_trainer_resumes(batches, tmp_path, stop):
    transformers = pytest.importorskip("transformers")

    class KeepLoader(transformers.TrainerCallback):  # type: ignore[misc, name-defined]
        def __init__(self, loader):
            self.loader = loader

        def on_save(self, arguments, state, control, **others):
            folder = Path(arguments.output_dir) / f"checkpoint-{state.global_step}"
            (folder / "loader.json").write_text(json.dumps(self.loader.state_dict()))

    options = {
        "output_dir": str(tmp_path),
        "num_train_epochs": EPOCHS,
        "save_strategy": "steps",
        "save_steps": stop,
        "ignore_data_skip": True,
    }
    loader, validation = batches(), batches()
    unbroken = hugging_face_trainer(
        loader, validation, [KeepLoader(loader)], **options, eval_strategy="epoch"
    )
    unbroken.train()
    expected = [batch for epoch in by_for(batches(), EPOCHS) for batch in epoch]
    assert [batch for epoch in unbroken.trained for batch in epoch] == expected
    assert len(unbroken.validated) == EPOCHS * BATCHES
    folder = tmp_path / f"checkpoint-{stop}"
    restored = batches()
    restored.load_state_dict(json.loads((folder / "loader.json").read_text()))
    resumed = hugging_face_trainer(restored, **options)
    resumed.train(resume_from_checkpoint=str(folder))
    assert [batch for epoch in resumed.trained for batch in epoch] == expected[stop:]
