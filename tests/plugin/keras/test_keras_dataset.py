"""`KerasDataset` on the backends of Keras."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import ArgumentError, CheckpointError, Pipeline, fn, types

keras = pytest.importorskip("keras", reason="Keras is not installed")

from penstock.plugin.keras import DataBackup, KerasDataset  # noqa: E402

BACKEND = keras.backend.backend()

pytestmark = [
    # Keras 3.15 converts tensors of PyTorch in a way that NumPy calls deprecated.
    pytest.mark.filterwarnings("ignore:__array__ implementation doesn't accept a copy"),
]


class Doubling(keras.Model):
    """A model that learns to double a number."""

    def __init__(self):
        super().__init__()
        self.layer = keras.layers.Dense(1)
        self.compile(keras.optimizers.SGD(0.005), "mse")

    def call(self, number):
        return self.layer(number)


class Seen(keras.callbacks.Callback):
    """Counts the batches of each epoch."""

    def __init__(self):
        super().__init__()
        self.epochs = []

    def on_epoch_begin(self, epoch, logs=None):
        self.epochs.append(0)

    def on_train_batch_end(self, batch, logs=None):
        self.epochs[-1] += 1


def numbers(dataset):
    """Return the numbers of each batch of the next epoch."""
    batches = dataset.get_tf_dataset() if BACKEND == "tensorflow" else dataset
    return [np.ravel(keras.ops.convert_to_numpy(batch[0])).tolist() for batch in batches]


def test_three_epochs(pairs):
    model, seen = Doubling(), Seen()
    training = KerasDataset(pairs(), reader_name="Reader")
    validation = KerasDataset(pairs(8), reader_name="Reader")
    assert (len(training), len(validation)) == (3, 2)
    history = model.fit(
        training, epochs=3, validation_data=validation, verbose=0, callbacks=[seen]
    ).history
    assert seen.epochs == [3] * 3
    for name in ("loss", "val_loss"):
        losses = [float(loss) for loss in history[name]]
        assert losses[0] > losses[1] > losses[2]
    assert model.predict(validation, verbose=0).shape == (8, 1)
    assert float(model.evaluate(validation, verbose=0)) >= 0


def test_training_begins_with_the_first_epoch(pairs):
    """Keras looks at the first batch to build the model: it is no loss."""
    given = []

    class Recording(Doubling):
        def train_step(self, *arguments, **options):
            result = super().train_step(*arguments, **options)
            data = arguments[-1]
            if BACKEND == "torch":
                given.append(data[0].ravel().tolist())
            return result

    training = KerasDataset(pairs(), reader_name="Reader")
    Recording().fit(training, epochs=1, verbose=0)
    expected = KerasDataset(pairs(), reader_name="Reader")
    first, second = numbers(expected), numbers(expected)
    if given:
        assert given == first
    assert numbers(training) == second


def test_tensors_are_of_the_backend(pairs):
    dataset = KerasDataset(pairs(), reader_name="Reader")
    batches = dataset.get_tf_dataset() if BACKEND == "tensorflow" else dataset
    for x, y in batches:
        assert keras.ops.is_tensor(x)
        assert keras.ops.is_tensor(y)
        np.testing.assert_array_equal(2 * x, y)


def test_data_without_a_known_end(feed):
    rows = [np.full((4, 1), k, np.float32) for k in range(3)]
    seen = Seen()
    dataset = KerasDataset(feed(rows), ["x"], x="x", y="x")
    assert dataset.num_batches is None
    with pytest.warns(UserWarning, match="Your input ran out of data"):  # Keras counts so
        Doubling().fit(dataset, epochs=2, verbose=0, callbacks=[seen])
    assert seen.epochs == [3, 3]


def test_steps_of_a_reader_without_an_end(pairs):
    seen = Seen()
    Doubling().fit(KerasDataset(pairs()), epochs=2, steps_per_epoch=5, verbose=0, callbacks=[seen])
    assert seen.epochs == [5, 5]


def test_several_inputs_and_weights(pipelines):
    rows = np.arange(8, dtype=np.float32).reshape(4, 2)
    pipeline = Pipeline(batch_size=4, num_threads=1)
    pipelines.append(pipeline)
    with pipeline:
        source = fn.external_source(lambda i: rows if i < 2 else stop(), name="rows")
        weight = fn.external_source(lambda: np.float32([1, 0, 0, 0]))
        pipeline.set_outputs(source, source + np.float32(1), weight)
    left, right = keras.Input((2,), name="left"), keras.Input((2,), name="right")
    model = keras.Model({"left": left, "right": right}, left + right)
    model.compile("sgd", "mse")
    dataset = KerasDataset(
        pipeline,
        ["a", "b", "weight"],
        x={"left": "a", "right": "b"},
        y="a",
        sample_weight="weight",
        size=8,
    )
    # left + right - a = b = a + 1, whose mean square is (1 + 4) / 2 in the first sample.
    assert float(model.evaluate(dataset, verbose=0)) == pytest.approx(2.5 / 4)


def stop():
    raise StopIteration


def test_outputs_with_names(pipelines, numbered_files):
    pipeline = Pipeline(batch_size=4, num_threads=1)
    pipelines.append(pipeline)

    def definition():
        _, label = fn.readers.file(files=numbered_files[:8], name="R")
        number = fn.cast(label, dtype=types.FLOAT)
        return {"twice": number * np.float32(2), "number": number}

    pipeline.define(definition)
    dataset = KerasDataset(pipeline, x="number", y="twice", reader_name="R")
    assert numbers(dataset) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    Doubling().fit(dataset, verbose=0)


def test_padding_has_no_weight(numbered_files, pipelines):
    pipeline = Pipeline(batch_size=4, num_threads=1)
    pipelines.append(pipeline)
    with pipeline:
        _, label = fn.readers.file(files=numbered_files[:5], name="R", pad_last_batch=True)
        pipeline.set_outputs(fn.cast(label, dtype=np.float32), label * np.float32(0))
    dataset = KerasDataset(pipeline, reader_name="R", sample_weight="valid")
    batches = dataset.get_tf_dataset() if BACKEND == "tensorflow" else dataset
    weights = [keras.ops.convert_to_numpy(batch[2]).tolist() for batch in batches]
    assert weights == [[True] * 4, [True] + [False] * 3]
    Doubling().fit(dataset, verbose=0)


@pytest.mark.filterwarnings("ignore:last_batch_policy=:RuntimeWarning")
@pytest.mark.skipif(BACKEND == "jax", reason="JAX compiles for each shape")
def test_partial_batches(pairs):
    dataset = KerasDataset(pairs(10), reader_name="Reader", last_batch_policy="partial")
    assert [len(batch) for batch in numbers(dataset)] == [4, 4, 2]
    Doubling().fit(dataset, verbose=0)


@pytest.mark.filterwarnings("ignore:Your input ran out of data")  # in an epoch that goes on
@pytest.mark.parametrize("save_freq", [1, "epoch"])
def test_a_run_goes_on(pairs, tmp_path, save_freq):
    class Stop(keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            if batch == 1 and self.params["epochs"] == 2 and save_freq == 1:
                raise KeyboardInterrupt

    path = tmp_path / "data.json"
    training = KerasDataset(pairs(), reader_name="Reader")
    callbacks = [DataBackup(training, path, save_freq), Stop()]
    if save_freq == 1:
        with pytest.raises(KeyboardInterrupt):
            Doubling().fit(training, epochs=2, verbose=0, callbacks=callbacks)
    else:
        Doubling().fit(training, epochs=1, verbose=0, callbacks=callbacks)
    expected = KerasDataset(pairs(), reader_name="Reader")
    epochs = [numbers(expected) for _ in range(4)]
    again, seen = KerasDataset(pairs(), reader_name="Reader"), Seen()
    Doubling().fit(again, epochs=2, verbose=0, callbacks=[DataBackup(again, path), seen])
    assert seen.epochs == ([1, 3] if save_freq == 1 else [3, 3])
    assert numbers(again) == epochs[2 if save_freq == 1 else 3]


def test_what_a_backup_refuses(pairs, tmp_path):
    training = KerasDataset(pairs(), reader_name="Reader")
    for save_freq in (0, "batch", 1.5, True):
        with pytest.raises(ArgumentError, match="save_freq must be"):
            DataBackup(training, tmp_path / "data", save_freq)
    (tmp_path / "data").write_text("{")
    with pytest.raises(CheckpointError, match=r"data is damaged"):
        DataBackup(training, tmp_path / "data").on_train_begin()


def test_what_is_refused(pairs):
    with pytest.raises(ArgumentError, match=r"x: there is no output 'images'"):
        KerasDataset(pairs(), ["image", "label"], x="images")
    with pytest.raises(ArgumentError, match="sample_weight needs y"):
        KerasDataset(pairs(), ["image", "label"], x="image", sample_weight="label")
    with pytest.raises(ArgumentError, match="there is no reader named"):
        KerasDataset(pairs(), reader_name="other")
