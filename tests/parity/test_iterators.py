"""The same batches, and as many of them, as DALI's iterators hand out."""

from __future__ import annotations

import inspect
import logging
from itertools import product

import pytest

from penstock import fn, pipeline_def

dali = pytest.importorskip("nvidia.dali")
pytest.importorskip("torch")
dali_plugin = pytest.importorskip("nvidia.dali.plugin.pytorch")

from penstock.plugin import pytorch as plugin  # noqa: E402  (only where PyTorch is)

# Every use of `size` makes DALI warn.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Please set `reader_name`"),
    # DALI says nothing of samples that nobody gets.
    pytest.mark.filterwarnings("ignore:last_batch_policy=:RuntimeWarning"),
]

MOST = 11
EPOCHS = 5
POLICIES = ["FILL", "DROP", "PARTIAL"]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    paths = [folder / str(number) for number in range(MOST)]
    for path in paths:
        path.write_bytes(b"x")
    return [str(path) for path in paths]


@pytest.fixture(autouse=True)
def silence(caplog):
    """DALI logs that it ignores a reset, which it asks for itself."""
    caplog.set_level(logging.ERROR)


def epochs(library, iterators, shards, **options):
    """Return the length of each epoch and the numbers in its batches."""
    functions, decorator = library

    def define(files, reader):
        _, labels = functions.readers.file(
            files=files, labels=list(range(len(files))), name="Reader", **reader
        )
        return labels

    pipelines = []
    for shard in shards:
        reader = dict(shard)
        files, batch_size = reader.pop("files"), reader.pop("batch_size")
        make = decorator(define, batch_size=batch_size, num_threads=1, device_id=None)
        pipelines.append(make(files, reader))
    policy = iterators.LastBatchPolicy[options.pop("policy")]
    iterator = iterators.DALIGenericIterator(
        pipelines, ["label"], last_batch_policy=policy, **options
    )
    for _ in range(EPOCHS):
        length = len(iterator)
        batches = [[outputs["label"].ravel().tolist() for outputs in batch] for batch in iterator]
        yield length, batches
        iterator.reset()
    for pipeline in pipelines:
        getattr(pipeline, "close", lambda: None)()


def by_dali(shards, **options):
    return epochs((dali.fn, dali.pipeline_def), dali_plugin, shards, **options)


def by_us(shards, **options):
    return epochs((fn, pipeline_def), plugin, shards, **options)


def readers(files, batch_size, count, **options):
    return [
        {"files": files, "batch_size": batch_size, "shard_id": rank, "num_shards": count, **options}
        for rank in range(count)
    ]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("stick", [False, True])
def test_by_reader(files, policy, padded, stick):
    for size, batch_size, count in product((7, MOST), (2, 3), (1, 2, 3)):
        if policy == "DROP" and (
            size // count < batch_size or (padded and size % count)  # see the next test
        ):
            continue
        options = {"pad_last_batch": padded, "stick_to_shard": stick}
        shards = readers(files[:size], batch_size, count, **options)
        for some in (shards[-1:], shards):
            more = {"policy": policy, "auto_reset": count == 2, "reader_name": "Reader"}
            assert list(by_us(some, **more)) == list(by_dali(some, **more))


def test_where_we_differ_dali_begins_an_epoch_with_padding(files):
    shards = readers(files[:10], 3, 3, pad_last_batch=True)[:1]
    options = {"policy": "DROP", "reader_name": "Reader"}
    ours, theirs = list(by_us(shards, **options)), list(by_dali(shards, **options))
    assert theirs[:3] == [(1, [[[0, 1, 2]]]), (1, [[[2, 2, 2]]]), (1, [[[3, 4, 5]]])]
    assert ours[:3] == [(1, [[[0, 1, 2]]]), (1, [[[3, 4, 5]]]), (1, [[[6, 7, 8]]])]


def assert_same_batches(shards, **options):
    """Compare all but `len`, for which DALI gives the first epoch's where only `size` is known."""
    ours, theirs = list(by_us(shards, **options)), list(by_dali(shards, **options))
    assert [batches for _, batches in ours] == [batches for _, batches in theirs]
    assert ours[0] == theirs[0]
    assert all(length == len(batches) for length, batches in ours)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("padded", [False, True])
def test_by_size(files, policy, padded):
    for size, batch_size in product((5, 7, 8), (1, 2, 3)):
        shards = readers(files[:7], batch_size, 1, pad_last_batch=padded)
        assert_same_batches(shards, policy=policy, size=size, last_batch_padded=padded)


@pytest.mark.parametrize("policy", ["FILL", "DROP"])
def test_several_pipelines_by_size(files, policy):
    for size, batch_size in product((6, 8, 10), (1, 2, 3)):
        assert_same_batches(readers(files[:size], batch_size, 2), policy=policy, size=size)


def test_where_we_differ_dali_fills_the_first_pipeline_up(files):
    shards = readers(files[:10], 2, 2, pad_last_batch=True)
    options = {"policy": "PARTIAL", "size": 10, "last_batch_padded": True}
    ours, theirs = next(by_us(shards, **options)), next(by_dali(shards, **options))
    assert ours[0] == theirs[0] == 3
    assert ours[1][:2] == theirs[1][:2]
    assert theirs[1][2] == [[4, 4]]  # 4 twice, 9 never, and nothing for the second pipeline
    assert ours[1][2] == [[4], [9]]


@pytest.mark.parametrize(
    "name", ["DALIGenericIterator", "DALIClassificationIterator", "DALIRaggedIterator"]
)
def test_arguments(name):
    def arguments(iterators):
        parameters = inspect.signature(getattr(iterators, name)).parameters.values()
        named = {p.name: p.default for p in parameters if p.kind is not p.VAR_KEYWORD}
        return {key: getattr(value, "name", value) for key, value in named.items()}

    ours, theirs = arguments(plugin), arguments(dali_plugin)
    if "output_map" in theirs:
        assert ours["output_map"] is None  # which is left out if the pipeline has names
        ours["output_map"] = theirs["output_map"]
    same = list(ours.items())[: len(theirs)]
    assert same == list(theirs.items())  # the order, too: some are positional
    further = list(ours.items())[len(theirs) :]
    assert further == [
        ("with_valid", False),
        ("batch_form", "list"),
        ("class_labels", False if "Classification" in name else None),
        ("channels_last", False),
        ("pin_memory", False),
    ]


def test_policies():
    theirs = dali_plugin.LastBatchPolicy
    assert {p.name: p.value for p in plugin.LastBatchPolicy} == {p.name: p.value for p in theirs}
