"""`fn.readers.numpy` against DALI's: order, regions, policies, types; and `fn.io.file.read`."""

import os

import numpy as np
import pytest

from penstock import fn, pipeline_def, types
from penstock.engine.errors import ArgumentError

from .oracle import dali as run_dali

dali = pytest.importorskip("nvidia.dali")

VOLUMES = [np.random.default_rng(i).random((5, 6, 7)).astype("f4") for i in range(5)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Five volumes, every other one in Fortran order."""
    root = tmp_path_factory.mktemp("volumes")
    for i, volume in enumerate(VOLUMES):
        np.save(root / f"{i}.npy", np.asfortranarray(volume) if i % 2 else volume)
    return root


def theirs(batch_size, batches, regions=None, **arguments):
    pipeline = dali.Pipeline(
        batch_size=batch_size, num_threads=1, device_id=None, prefetch_queue_depth=1
    )
    with pipeline:
        fed = {
            name: dali.fn.external_source(batch_of(values))
            for name, values in (regions or {}).items()
        }
        pipeline.set_outputs(dali.fn.readers.numpy(name="reader", **arguments, **fed))
    pipeline.build()
    return [described(pipeline.run()[0]) for _ in range(batches)], pipeline.reader_meta("reader")


def ours(batch_size, batches, regions=None, **arguments):
    @pipeline_def(batch_size=batch_size, num_threads=1, device_id=None, prefetch_queue_depth=1)
    def definition():
        fed = {
            name: fn.external_source(batch_of(values)) for name, values in (regions or {}).items()
        }
        return fn.readers.numpy(name="reader", **arguments, **fed)

    with definition() as pipeline:
        found = [described(pipeline.run()[0]) for _ in range(batches)]
        return found, pipeline.reader_meta("reader")


def batch_of(values):
    """Return a source that gives the same values in every batch."""
    return lambda: list(values)


def described(output):
    arrays = [np.array(output.at(i)) for i in range(len(output))]
    return [(a.dtype.str, a.shape, a.tobytes(), output.layout()) for a in arrays]


def assert_same(batch_size, batches, **arguments):
    found, meta = ours(batch_size, batches, **arguments)
    expected, their_meta = theirs(batch_size, batches, **arguments)
    assert found == expected
    assert {name: meta[name] for name in their_meta} == their_meta


REGIONS = [
    {},
    {"roi_start": [0, 1, 1], "roi_end": [2, 3, 3]},
    {"roi_start": [2, 3, 4]},
    {"roi_end": [2, 3, 4]},
    {"roi_shape": [2, 3, 4]},
    {"roi_start": 1, "roi_end": 4},
    {"roi_start": [1, 0, 2], "roi_shape": [3, 6, 1]},
    {"roi_axes": [2, 0], "roi_start": [1, 0], "roi_end": [3, 1]},
    {"roi_axes": [-1], "roi_start": [1]},
    {"roi_axes": [0]},
    {"rel_roi_start": [0.5, 0.5, 0.5], "rel_roi_end": [1, 1, 1]},
    {"rel_roi_start": [0.1, 0.4, 0.2], "rel_roi_shape": [0.4, 0.3, 0.7]},
    {"rel_roi_start": [0.5, 0.25, 0.5], "roi_shape": [1, 2, 3]},
    {"roi_start": [1, 1, 1], "rel_roi_end": [0.9, 0.5, 0.5]},
    {"roi_start": [1, 1, 1], "rel_roi_shape": [0.3, 0.25, 0.5]},
    {"roi_start": [1, 1, 1], "roi_end": [1, 1, 2]},
]
OUTSIDE = [
    {"roi_start": [-1, 1, 1], "roi_end": [2, 8, 3]},
    {"roi_start": [-3, -3, -3], "roi_end": [-1, 2, 9]},
    {"roi_start": [7, 0, 0], "roi_shape": [2, 2, 2]},
    {"rel_roi_start": [-0.3, 0.5, 0.5], "rel_roi_shape": [1.6, 0.7, 0.1]},
    {"roi_axes": [1], "roi_end": [9]},
]


@pytest.mark.parametrize("region", REGIONS, ids=str)
def test_regions(folder, region):
    assert_same(5, 1, file_root=str(folder), **region)


@pytest.mark.parametrize("policy", ["pad", "trim_to_shape"])
@pytest.mark.parametrize("region", REGIONS[:3] + OUTSIDE, ids=str)
def test_policies(folder, region, policy):
    assert_same(5, 1, file_root=str(folder), out_of_bounds_policy=policy, fill_value=-1.7, **region)


@pytest.mark.parametrize(
    "region",
    [
        *OUTSIDE,
        {"roi_start": [2, 2, 2], "roi_end": [1, 3, 3]},
        {"roi_start": [1, 1], "roi_end": [2, 2]},
        {"roi_axes": [0, 0], "roi_shape": [1, 1]},
        {"roi_axes": [3], "roi_shape": [1]},
    ],
    ids=str,
)
def test_what_both_refuse(folder, region):
    with pytest.raises(RuntimeError):
        theirs(5, 1, file_root=str(folder), **region)
    with pytest.raises(ArgumentError):
        ours(5, 1, file_root=str(folder), **region)


@pytest.mark.parametrize("seed", range(4))
def test_a_region_for_each_sample(folder, seed):
    random = np.random.default_rng(seed)
    starts = random.integers(0, 3, (5, 3)).astype("i4")
    relative = random.random((5, 3)).astype("f4") / 2
    for regions, others in [
        ({"roi_start": starts, "roi_end": starts + 2}, {}),
        ({"roi_start": starts}, {"roi_shape": [1, 2, 3]}),
        ({"rel_roi_start": relative}, {"roi_shape": [2, 2, 2]}),
        ({"rel_roi_start": relative, "rel_roi_shape": relative}, {}),
        ({"rel_roi_end": relative + 0.5}, {"roi_start": [0, 0, 0]}),
        ({"roi_shape": starts[:, :1] + 1}, {"roi_axes": [1]}),
    ]:
        assert_same(5, 2, regions=regions, file_root=str(folder), **others)


@pytest.mark.parametrize("seed", range(3))
def test_fractions_are_rounded_alike(tmp_path, seed):
    """Halves decide it: many extents, and fractions that hit the middle."""
    random = np.random.default_rng(seed)
    extents = random.integers(1, 40, (40, 2))
    for i, shape in enumerate(extents):
        np.save(tmp_path / f"{i:02}.npy", np.arange(shape.prod(), dtype="i4").reshape(shape))
    start = (random.integers(0, 2 * extents) / (2 * extents) / 2).astype("f4")
    regions = {"rel_roi_start": start, "rel_roi_shape": start}
    assert_same(40, 1, regions=regions, file_root=str(tmp_path))
    regions = {"rel_roi_start": start, "rel_roi_end": 1 - start}
    assert_same(40, 1, regions=regions, file_root=str(tmp_path))


@pytest.mark.parametrize("dtype", ["?", "u1", "i1", "u2", "i4", "i8", "f2", "f4", "f8"])
@pytest.mark.parametrize("fill", [0, 1, 7.5, -2.5, 300])
def test_types_and_what_they_are_padded_with(tmp_path, dtype, fill):
    np.save(tmp_path / "a.npy", np.ones((2, 3), dtype))
    arguments = {"roi_start": [1, 1], "roi_shape": [3, 3], "out_of_bounds_policy": "pad"}
    assert_same(1, 1, file_root=str(tmp_path), fill_value=fill, **arguments)


@pytest.mark.parametrize("shape", [(), (1,), (0, 3)])
def test_scalars_and_empty_arrays(tmp_path, shape):
    np.save(tmp_path / "a.npy", np.ones(shape, "f4"))
    assert_same(1, 1, file_root=str(tmp_path))


@pytest.mark.parametrize("pad_last_batch", [False, True])
@pytest.mark.parametrize("stick_to_shard", [False, True])
@pytest.mark.parametrize(("num_shards", "batch_size"), [(1, 4), (2, 3), (3, 8), (5, 2)])
def test_order_in_all_shards(tmp_path, num_shards, batch_size, stick_to_shard, pad_last_batch):
    for i in range(11):
        np.save(tmp_path / f"{i:02}.npy", np.full(2, i))
    for shard_id in range(num_shards):
        assert_same(
            batch_size,
            3 * -(-11 // (num_shards * batch_size)),
            file_root=str(tmp_path),
            cache_header_information=True,
            shard_id=shard_id,
            num_shards=num_shards,
            stick_to_shard=stick_to_shard,
            pad_last_batch=pad_last_batch,
        )


NAMES = [
    *("-a/1.npy", "!b/1.npy", "b/1.npy", "b/2.npy", "b-c/1.npy", "b.d/1.npy", "zz.npy", "!a.npy"),
    *("b/A.NPY", "b/x.txt", "b/deep/1.npy", "b/a b.npy"),
]


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    root = tmp_path_factory.mktemp("tree")
    for i, name in enumerate(NAMES):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        with (root / name).open("wb") as file:
            np.save(file, np.full(2, i))
    os.symlink("b", root / "link")
    os.symlink("b/1.npy", root / "link.npy")
    return root


@pytest.mark.parametrize("pattern", [None, "*.NPY", "[0-9].npy", "*a*"])
def test_which_files_of_a_folder(tree, pattern):
    chosen = {} if pattern is None else {"file_filter": pattern}
    _, meta = ours(1, 1, file_root=str(tree), **chosen)
    assert_same(1, meta["epoch_size"], file_root=str(tree), **chosen)


def test_hidden_files_are_left_out_and_said(tmp_path):
    for name in ("a/1.npy", "a/._1.npy", ".h.npy", ".d/1.npy", "b.npy"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        np.save(tmp_path / name, np.zeros(2))
    said = r"left out are hidden folders with data \(1, .*'\.d'\), hidden files of data \(2, such"
    with pytest.warns(RuntimeWarning, match=said):
        _, meta = ours(1, 1, file_root=str(tmp_path))
    assert meta["epoch_size"] == 2


@pytest.mark.parametrize("text", ["b/1.npy\nzz.npy\n", "\nb/a b.npy\n\n../{root}/zz.npy", "zz.npy"])
@pytest.mark.parametrize("root", [None, "b"])
def test_which_files_of_a_list(tree, text, root):
    path = tree / "list.txt"
    path.write_text(text.format(root=tree.name))
    if root is not None:
        path.write_text("1.npy\n../zz.npy\n")
    chosen = {} if root is None else {"file_root": str(tree / root)}
    assert_same(1, 4, file_list=str(path), **chosen)


@pytest.mark.parametrize("root", [None, "b"])
def test_named_files(tree, root, monkeypatch):
    monkeypatch.chdir(tree)
    files = ["zz.npy", f"{tree}/b/1.npy"] if root is None else ["1.npy", "a b.npy", "1.npy"]
    chosen = {} if root is None else {"file_root": str(tree / root)}
    assert_same(1, 4, files=files, **chosen)


def test_read_file(tmp_path):
    contents = [b"first", b"x" * 5000]
    paths = []
    for i, content in enumerate(contents):
        (tmp_path / f"é{i}").write_bytes(content)
        paths.append(np.frombuffer(os.fsencode(tmp_path / f"é{i}"), np.uint8))
    ((expected, layout),) = run_dali(dali.fn.io.file.read, paths)

    @pipeline_def(batch_size=2, num_threads=1, device_id=None)
    def definition():
        return fn.io.file.read(fn.external_source(lambda: paths))

    with definition() as pipeline:
        (found,) = pipeline.run()
    assert [found.at(i).tobytes() for i in range(2)] == [e.tobytes() for e in expected] == contents
    assert (found.layout(), found.dtype) == (layout, types.UINT8)
