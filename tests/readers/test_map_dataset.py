"""Objects with `__len__` and `__getitem__` as readers, alone and in mixtures."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.engine.errors import ArgumentError, DecodeError
from penstock.readers.map_dataset import MapSource
from penstock.testing.readers import SourceConformance


class Squares:
    """Sample i is an array of i numbers, and the square of i."""

    def __init__(self, count=7, broken=()):
        self.count, self.broken = count, broken

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        if i in self.broken:
            raise ValueError(f"sample {i} is broken")
        return np.full(i, i, np.int16), i * i


class TestMapSource(SourceConformance):
    @pytest.fixture
    def source(self):
        return MapSource(Squares(), 2)

    @pytest.fixture
    def expected(self):
        return [(np.full(i, i, np.int16), np.array(i * i)) for i in range(7)]


def _run(batch_size, define, checkpoint=None, on_error="raise"):
    pipe = Pipeline(batch_size, 1, checkpoint=checkpoint, on_error=on_error)
    with pipe:
        pipe.set_outputs(*define())
    return pipe


def _squares(pipe, batches):
    return [n for _ in range(batches) for n in pipe.run()[1].as_array().tolist()]


def test_a_shuffle_goes_on_with_another_number_of_ranks():
    def define(rank, ranks):
        return fn.readers.map_dataset(
            Squares(20), num_outputs=2, random_shuffle=True, shard_id=rank, num_shards=ranks
        )

    seen = []
    for rank in range(2):
        with _run(3, lambda rank=rank: define(rank, 2)) as pipe:
            seen += _squares(pipe, 2)
            saved = pipe.checkpoint()
    with _run(4, lambda: define(0, 1), saved) as pipe:
        seen += _squares(pipe, 2)
    assert sorted(seen) == [i * i for i in range(20)]


def test_a_member_of_a_mixture(tmp_path):
    paths = [str(tmp_path / f"{i}.npy") for i in range(4)]
    for path in paths:
        np.save(path, np.full(2, -1, np.int16))

    def define():
        own = fn.readers.map_dataset(Squares(4), num_outputs=2)[0]
        members = {"own": own, "files": fn.readers.numpy(files=paths)}
        return fn.readers.mix(members, weights={"own": 3, "files": 1}, random_shuffle=True)

    with _run(8, define) as pipe:
        data, source = pipe.run()
    assert source.as_array().tolist().count(0) == 6
    for row, number in zip(data.rows(), source.as_array().tolist(), strict=True):
        assert (row == -1).all() if number else (row == len(row)).all()


def test_a_member_of_a_balance_and_of_batches_by_cost():
    def balanced():
        return fn.readers.balance(
            fn.readers.map_dataset(Squares(4), num_outputs=2), by=[0, 0, 0, 1]
        )

    with _run(4, balanced) as pipe:
        assert _squares(pipe, 1) == [0, 9, 1, 9]

    def costed():
        cost = {"by": np.arange(20), "budget": 40, "buckets": 3, "pad_to": "bound"}
        data, square, bound = fn.readers.map_dataset(Squares(20), num_outputs=2, batch_cost=cost)
        return fn.pad(data, shape=bound), square

    with _run(20, costed) as pipe:
        assert all(np.prod(pipe.run()[0].as_array().shape) <= 40 for _ in range(10))


def test_an_error_of_the_object_is_one_of_its_sample():
    def define():
        return fn.readers.map_dataset(Squares(6, broken=(3,)), num_outputs=2)

    with (
        _run(6, define) as pipe,
        pytest.raises(ValueError, match="sample 3 is broken"),
    ):
        pipe.run()
    with _run(6, define, on_error="skip") as pipe:
        assert _squares(pipe, 1)[:3] == [0, 1, 4]


def test_data_sets_of_pytorch():
    torch = pytest.importorskip("torch")
    data = torch.utils.data
    numbers = data.TensorDataset(torch.arange(6).reshape(3, 2), torch.tensor([0.5, 1.5, 2.5]))
    joined = data.ConcatDataset([data.Subset(numbers, [2]), numbers])
    with _run(4, lambda: fn.readers.map_dataset(joined, num_outputs=2)) as pipe:
        pairs, halves = pipe.run()
    assert pairs.as_array().tolist() == [[4, 5], [0, 1], [2, 3], [4, 5]]
    assert halves.as_array().tolist() == [2.5, 0.5, 1.5, 2.5]


def test_a_data_set_of_hugging_face_needs_an_object_around_it():
    datasets = pytest.importorskip("datasets")
    rows = datasets.Dataset.from_dict({"x": [[1, 2], [3, 4]], "y": [5, 6]}).with_format("numpy")

    class Values(list):
        def __getitem__(self, i):
            return tuple(rows[i].values())

    def define():
        return fn.readers.map_dataset(Values(range(len(rows))), num_outputs=2)

    with _run(2, define) as pipe:
        x, y = pipe.run()
    assert (x.as_array().tolist(), y.as_array().tolist()) == ([[1, 2], [3, 4]], [5, 6])
    with (
        pytest.raises(DecodeError, match="a dict, but"),
        _run(2, lambda: fn.readers.map_dataset(rows, num_outputs=2)) as pipe,
    ):
        pipe.run()


def test_options_of_storage_are_refused():
    with pytest.raises(ArgumentError, match="storage_options cannot be obeyed: the object opens"):
        _run(1, lambda: [fn.readers.map_dataset([1], storage_options={"anon": True})])


def test_values_of_other_libraries():
    torch = pytest.importorskip("torch")
    with _run(1, lambda: [fn.readers.map_dataset([torch.ones(2, dtype=torch.int32)])]) as pipe:
        assert pipe.run()[0].as_array().tolist() == [[1, 1]]
    with _run(2, lambda: [fn.readers.map_dataset([b"ab", b"c"])]) as pipe:
        assert [bytes(row) for row in pipe.run()[0].rows()] == [b"ab", b"c"]


@pytest.mark.parametrize(
    ("dataset", "count", "error", "message"),
    [
        (iter([1]), 1, ArgumentError, "lacks __len__ or __getitem__; fn.external_source takes"),
        ([], 1, ArgumentError, "has no samples"),
        (["text"], 1, DecodeError, r"list\[0\]: a str is no array of numbers"),
        ([1], 2, DecodeError, r"list\[0\] is a int, but with num_outputs=2"),
        ([(1, 2)] * 2 + [(1, 2, 3)], 2, DecodeError, r"list\[2\] is a tuple, but"),
        ([1, 2.5, 3], 1, DecodeError, r"list\[1\]: value 0 is of float64 with 0 dimensions"),
        ([{"a": 1}], 1, DecodeError, r"list\[0\]: a dict is no array of numbers"),
    ],
)
def test_what_is_no_data_set_is_refused(dataset, count, error, message):
    def define():
        found = fn.readers.map_dataset(dataset, num_outputs=count)
        return found if count > 1 else [found]

    with pytest.raises(error, match=message), _run(3, define) as pipe:
        pipe.run()
