"""Batches of several pipelines on several devices."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import ArgumentError

from ..conftest import column

jax = pytest.importorskip("jax", reason="the plugin of JAX needs JAX")

from jax.sharding import Mesh, NamedSharding, SingleDeviceSharding  # noqa: E402
from jax.sharding import PartitionSpec as P  # noqa: E402

from penstock.plugin.jax import GenericIterator  # noqa: E402
from penstock.plugin.jax.placement import Placement, RowGroups, row_groups  # noqa: E402


@pytest.fixture
def mesh(cpus):
    """Two by two devices."""
    return Mesh(np.array(cpus).reshape(2, 2), ("data", "model"))


def batches_of(pipelines, rows=4, columns=6):
    """Return batches, whose elements are numbered."""
    whole = np.arange(pipelines * rows * columns, dtype=np.float32)
    return list(whole.reshape(pipelines, rows, columns))


@pytest.mark.parametrize("pipelines", [1, 2, 4])
@pytest.mark.parametrize(
    "spec",
    [
        P("data"),
        P(("data", "model")),
        P(("model", "data")),
        P(),
        P("data", "model"),
        P(None, "model"),
    ],
)
def test_each_sharding_has_all_rows_in_their_order(mesh, spec, pipelines):
    batches = batches_of(pipelines)
    sharding = NamedSharding(mesh, spec)
    for _ in range(2):  # the second batch follows the plan of the first
        array = Placement(sharding).array("x", batches)
        assert array.sharding == sharding
        np.testing.assert_array_equal(array, np.concatenate(batches))
        expected = jax.device_put(np.concatenate(batches), sharding)
        for ours, theirs in zip(array.addressable_shards, expected.addressable_shards, strict=True):
            assert (ours.device, ours.index) == (theirs.device, theirs.index)
            np.testing.assert_array_equal(ours.data, theirs.data)


def test_batches_that_are_on_devices(mesh, cpus):
    """As those of pipelines on GPUs, which lie on another device each."""
    batches = batches_of(2)
    placed = [jax.device_put(*batch) for batch in zip(batches, cpus[:2], strict=True)]
    for sharding in (None, NamedSharding(mesh, P("data")), SingleDeviceSharding(cpus[3])):
        array = Placement(sharding).array("x", placed)
        np.testing.assert_array_equal(array, np.concatenate(batches))
    stacked = Placement(stacked=True).array("x", placed)
    assert [shard.device for shard in stacked.addressable_shards] == cpus[:2]
    np.testing.assert_array_equal(stacked, np.stack(batches))


def test_groups_of_rows(mesh, cpus):
    assert row_groups(NamedSharding(mesh, P("data"))) == RowGroups(2, [0, 1], [cpus[0], cpus[2]])
    assert row_groups(NamedSharding(mesh, P(None, "data"))) == RowGroups(1, [0], cpus[:1])
    swapped = row_groups(NamedSharding(mesh, P(("model", "data"))))
    assert swapped == RowGroups(4, [0, 1, 2, 3], [cpus[0], cpus[2], cpus[1], cpus[3]])
    assert row_groups(SingleDeviceSharding(cpus[1])) == RowGroups(1, [0], [cpus[1]])


def test_what_does_not_fit(mesh):
    with pytest.raises(ArgumentError, match=r"batches differ in shape \(\(4, 6\), \(3, 6\)\)"):
        Placement().array("x", [np.zeros((4, 6)), np.zeros((3, 6))])
    uneven = Placement(NamedSharding(mesh, P("data")))
    with pytest.raises(ArgumentError, match=r"3 samples cannot be divided among 2 groups"):
        uneven.array("x", [np.zeros((3, 6))])
    flat = Placement(NamedSharding(mesh, P("data", "model")))
    with pytest.raises(ArgumentError, match=r"output 'x', .* the shape \(4,\), does not fit"):
        flat.array("x", [np.zeros(4)])


@pytest.fixture
def shards(numbers):
    """Four pipelines, each of which reads 4 of 16 numbers."""
    return [numbers(16, 2, rank=i, ranks=4) for i in range(4)]


ROWS = column([0, 1, 4, 5, 8, 9, 12, 13])


def test_one_sharding(shards, mesh):
    sharding = NamedSharding(mesh, P(("data", "model")))
    with GenericIterator(
        shards, ["x"], reader_name="Reader", sharding=sharding, with_valid=True
    ) as batches:
        batch = next(batches)
        assert len(batches) == 2
    np.testing.assert_array_equal(batch["x"], ROWS)
    assert batch["x"].sharding == sharding
    assert batch["valid"].sharding == sharding
    assert batch["valid"].shape == (8,)


@pytest.mark.parametrize("marks", [{}, {"valid": P()}])
def test_a_sharding_for_each_output(shards, mesh, marks):
    """By default the truth values of samples follow the sharding of most groups of rows."""
    sharding = {"x": NamedSharding(mesh, P("data"))}
    sharding |= {name: NamedSharding(mesh, spec) for name, spec in marks.items()}
    with GenericIterator(
        shards, ["x"], reader_name="Reader", sharding=sharding, with_valid=True
    ) as batches:
        batch = next(batches)
    np.testing.assert_array_equal(batch["x"], ROWS)
    assert batch["x"].sharding == sharding["x"]
    assert batch["valid"].sharding.spec == marks.get("valid", P("data"))


def test_outputs_without_a_sharding_are_whole(shards, mesh):
    batch = next(GenericIterator(shards, ["x"], reader_name="Reader", sharding={}))
    np.testing.assert_array_equal(batch["x"], ROWS)
    assert len(batch["x"].devices()) == 1


def test_compiled_functions_take_sharded_batches(shards, mesh):
    sharding = NamedSharding(mesh, P(("data", "model")))
    total = jax.jit(lambda x: x.sum(), out_shardings=NamedSharding(mesh, P()))
    it = GenericIterator(shards, ["x"], reader_name="Reader", sharding=sharding)
    assert [int(total(batch["x"])) for batch in it] == [52, 68]


@pytest.mark.parametrize("form", [None, True, False])
def test_devices(shards, cpus, form):
    order = cpus[::-1]
    batch = next(
        GenericIterator(
            shards,
            ["x"],
            reader_name="Reader",
            devices=order,
            pmap_compatible=form,
            with_valid=True,
        )
    )
    x, valid = batch["x"], batch["valid"]
    assert x.shape == ((8, 1) if form is False else (4, 2, 1))
    assert valid.shape == ((8,) if form is False else (4, 2))
    np.testing.assert_array_equal(np.asarray(x).reshape(8, 1), ROWS)
    assert [shard.device for shard in x.addressable_shards] == order
    if form is not False:
        doubled = jax.pmap(lambda each: each * 2, devices=order)(x)
        np.testing.assert_array_equal(doubled, 2 * ROWS.reshape(4, 2, 1))


def test_several_pipelines_without_devices(shards):
    stacked = next(GenericIterator(shards, ["x"], reader_name="Reader"))["x"]
    np.testing.assert_array_equal(stacked, ROWS.reshape(4, 2, 1))
    joined = next(GenericIterator(shards, ["x"], reader_name="Reader", pmap_compatible=False))["x"]
    assert joined.shape == (8, 1)


def test_arguments_that_contradict_one_another(shards, mesh, cpus):
    sharding = NamedSharding(mesh, P("data"))
    for options, message in [
        ({"sharding": sharding, "devices": cpus}, "Only one of `sharding` and `devices`"),
        ({"sharding": "data"}, "`sharding` should be an instance of `jax.sharding.Sharding`, or"),
        ({"sharding": {"x": P("data")}}, "should be an instance"),
        ({"sharding": {"y": sharding}}, "sharding names 'y', but the outputs are 'x'"),
        ({"devices": cpus[:2]}, "4 pipelines were given for 2 devices"),
    ]:
        with pytest.raises(ArgumentError, match=message):
            GenericIterator(shards, ["x"], reader_name="Reader", **options)
