"""Training with TensorFlow: Keras, and several devices."""

from __future__ import annotations

import numpy as np
import pytest

from .conftest import flat, values

tf = pytest.importorskip("tensorflow", reason="TensorFlow is not installed")
keras = pytest.importorskip("keras", reason="Keras is not installed")

from keras.src.trainers import data_adapters  # noqa: E402

from penstock.plugin.keras import DataBackup  # noqa: E402
from penstock.plugin.tf import DALIDataset  # noqa: E402

pytestmark = [
    pytest.mark.skipif(keras.backend.backend() != "tensorflow", reason="of another backend"),
    # `shuffle=True` is the default of `fit`.
    pytest.mark.filterwarnings("ignore:`shuffle=True` was passed, but will be ignored"),
]


class Seen(keras.callbacks.Callback):
    """Counts the batches of each epoch."""

    def __init__(self):
        super().__init__()
        self.epochs = []

    def on_epoch_begin(self, epoch, logs=None):
        self.epochs.append(0)

    def on_train_batch_end(self, batch, logs=None):
        self.epochs[-1] += 1


def doubling():
    """Return a model that learns to double a number."""
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile(keras.optimizers.SGD(0.005), "mse")
    return model


def test_fit(pairs):
    model, seen = doubling(), Seen()
    training = DALIDataset(pairs(), reader_name="Reader")
    validation = DALIDataset(pairs(8), reader_name="Reader")
    history = model.fit(
        training, epochs=3, validation_data=validation, verbose=0, callbacks=[seen]
    ).history
    assert seen.epochs == [3] * 3
    for name in ("loss", "val_loss"):
        assert history[name][0] > history[name][1] > history[name][2]
    assert model.predict(validation, verbose=0).shape == (8, 1)


def test_fit_without_an_end(pairs):
    seen = Seen()
    doubling().fit(DALIDataset(pairs()), epochs=2, steps_per_epoch=5, verbose=0, callbacks=[seen])
    assert seen.epochs == [5] * 2


def test_a_pipeline_for_each_of_two_devices(pairs):
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    options = tf.distribute.InputOptions(
        experimental_replication_mode=tf.distribute.InputReplicationMode.PER_REPLICA,
        experimental_place_dataset_on_device=True,
        experimental_fetch_to_device=False,
    )

    def shard(context):
        pipeline = pairs(16, shard_id=context.input_pipeline_id, num_shards=2)
        return DALIDataset(pipeline, reader_name="Reader")

    datasets = strategy.distribute_datasets_from_function(shard, options)
    numbers = [[], []]
    for number, _ in datasets:
        for i, tensor in enumerate(strategy.experimental_local_results(number)):
            numbers[i] += np.ravel(tensor).tolist()
    assert [len(number) for number in numbers] == [8, 8]
    assert sorted(flat(numbers)) == list(range(16))


def test_fit_on_two_devices(pairs):
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    with strategy.scope():
        model = doubling()
    datasets = strategy.distribute_datasets_from_function(lambda context: DALIDataset(pairs(16)))
    if not data_adapters.is_tf_dataset(datasets):
        pytest.skip("this release of Keras takes no distributed data sets of functions")
    history = model.fit(datasets, epochs=3, steps_per_epoch=2, verbose=0).history
    assert history["loss"][2] < history["loss"][0]


@pytest.mark.filterwarnings("ignore:Your input ran out of data")  # in an epoch that goes on
def test_a_run_goes_on(pairs, tmp_path):
    class Stop(keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            if batch == 1:
                raise KeyboardInterrupt

    training = DALIDataset(pairs(), reader_name="Reader")
    backup = DataBackup(training, tmp_path / "data.json", save_freq=1)
    with pytest.raises(KeyboardInterrupt):
        doubling().fit(training, epochs=2, verbose=0, callbacks=[backup, Stop()])
    expected = DALIDataset(pairs(), reader_name="Reader")
    epochs = [values(expected), values(expected), values(expected)]
    again, seen = DALIDataset(pairs(), reader_name="Reader"), Seen()
    backup = DataBackup(again, tmp_path / "data.json")
    doubling().fit(again, epochs=2, verbose=0, callbacks=[backup, seen])
    assert seen.epochs == [1, 3]
    assert values(again) == epochs[2]
