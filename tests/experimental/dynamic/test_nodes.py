"""Nodes of torchdata, with its own loader."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import ArgumentError
from penstock.experimental import dynamic as ndd

torch = pytest.importorskip("torch")
torchdata = pytest.importorskip("torchdata.nodes")
nodes = ndd.pytorch.nodes


@pytest.fixture
def files(tmp_path):
    for number in range(8):
        (tmp_path / f"{number}.bin").write_bytes(bytes([number] * 3))
    return [str(tmp_path / f"{number}.bin") for number in range(8)]


def chain(files, batch_size=2):
    reader = nodes.Reader(ndd.readers.File, batch_size=batch_size, files=files)
    return nodes.ToTorch(nodes.DictMapper(reader, lambda data: data + 1))


def firsts(batches):
    return [data.reshape(-1)[0].item() - 1 for data, _ in batches]


def test_epochs(files):
    loader = torchdata.Loader(chain(files))
    for _ in range(2):
        batches = list(loader)
        assert firsts(batches) == [0, 2, 4, 6]
        assert all(isinstance(output, torch.Tensor) for batch in batches for output in batch)
    assert firsts(torchdata.Loader(chain(files, None))) == list(range(8))


def test_a_loader_goes_on_in_the_middle_of_an_epoch(files):
    loader = torchdata.Loader(chain(files))
    batches = iter(loader)
    assert firsts([next(batches), next(batches)]) == [0, 2]
    state = loader.state_dict()
    other = torchdata.Loader(chain(files))
    other.load_state_dict(state)
    assert firsts(other) == firsts(batches) == [4, 6]


def test_names_of_outputs(files, tmp_path):
    np.save(tmp_path / "a.npy", np.ones(3))
    path = str(tmp_path / "a.npy")
    with pytest.raises(ArgumentError, match="give output_names"):
        nodes.Reader(ndd.readers.Numpy, batch_size=1, files=[path])
    with pytest.raises(ArgumentError, match="1 names for 2 outputs"):
        nodes.Reader(ndd.readers.File, batch_size=1, files=files, output_names=["a"])
    node = nodes.Reader(ndd.readers.Numpy, batch_size=1, files=[path], output_names=["a"])
    node.reset()
    assert node.next()["a"].shape == [(3,)]
    assert node.get_metadata()["epoch_size"] == 1
