"""`fn.readers.numpy` in pipelines."""

import json
import zipfile

import numpy as np
import pytest

from penstock import fn, pipeline_def, types
from penstock.engine.errors import ArgumentError, DecodeError, SourceError
from penstock.engine.graph.operator import OPERATORS

pytestmark = pytest.mark.usefixtures("user_cache")


@pytest.fixture
def volumes():
    return [np.random.default_rng(i).random((9, 10, 11)).astype("f4") for i in range(6)]


@pytest.fixture
def paths(tmp_path, volumes):
    found = [str(tmp_path / f"{i}.npy") for i in range(len(volumes))]
    for path, volume in zip(found, volumes, strict=True):
        np.save(path, volume)
    return found


def batches(count, batch_size, definition, **options):
    made = pipeline_def(definition, batch_size=batch_size, num_threads=2, **options)
    with made() as pipe:
        return [pipe.run() for _ in range(count)]


def reading(count=1, batch_size=3, pipeline=None, **arguments):
    found = batches(count, batch_size, lambda: fn.readers.numpy(**arguments), **(pipeline or {}))
    return [output for (output,) in found]


def test_whole_arrays(paths, volumes):
    first, second = reading(2, files=paths)
    np.testing.assert_array_equal(first.as_array(), np.stack(volumes[:3]))
    np.testing.assert_array_equal(second.as_array(), np.stack(volumes[3:]))
    assert first.source_info() == paths[:3]
    assert first.layout() == ""


def test_a_region_as_an_index(paths, volumes):
    for roi in ("[2:5, :, 3]", (slice(2, 5), ..., 3)):
        (found,) = reading(files=paths, roi=roi)
        np.testing.assert_array_equal(found.as_array(), np.stack(volumes[:3])[:, 2:5, :, 3])


def test_the_same_region_for_all(paths, volumes):
    (found,) = reading(files=paths, roi_start=[1, 2], roi_shape=[3, 4], roi_axes=[2, 0])
    np.testing.assert_array_equal(found.as_array(), np.stack(volumes[:3])[:, 2:6, :, 1:4])


def corner():
    return fn.random.uniform(range=[0, 5], shape=[3], dtype=types.INT32, seed=7)


@pytest.mark.parametrize("shuffle", [False, True])
def test_a_region_for_each_sample(paths, volumes, shuffle):
    def definition():
        start = corner()
        return fn.readers.numpy(
            files=paths, roi_start=start, roi_shape=[4, 3, 2], random_shuffle=shuffle
        ), start

    starts = set()
    for found, start in batches(4, 3, definition):
        assert found.as_array().shape == (3, 4, 3, 2)
        for i in range(3):
            z, y, x = start.at(i).tolist()
            starts.add((z, y, x))
            volume = volumes[paths.index(found.source_info()[i])]
            np.testing.assert_array_equal(found.at(i), volume[z : z + 4, y : y + 3, x : x + 2])
    assert len(starts) > 6


def test_regions_of_different_shapes(paths, volumes):
    def definition():
        shape = fn.random.uniform(range=[1, 9], shape=[1], dtype=types.INT32)
        return fn.readers.numpy(files=paths, roi_shape=shape, roi_axes=[1]), shape

    ((found, shape),) = batches(1, 6, definition)
    for i in range(6):
        np.testing.assert_array_equal(found.at(i), volumes[i][:, : int(shape.at(i)[0])])


def test_regions_computed_from_numbers(paths, volumes):
    def definition():
        start = fn.random.uniform(range=[0, 0.5], shape=[3])
        return fn.readers.numpy(
            files=paths, rel_roi_start=start, rel_roi_end=start + 0.5, cache_header_information=True
        )

    ((found,),) = batches(1, 6, definition)
    assert all(4 <= extent <= 6 for shape in found.shape() for extent in shape)


def test_slices_as_samples_of_all_files(paths, volumes):
    found = reading(3, 18, files=paths, sample_axis=0, random_shuffle=True, roi="..., 2:4")
    everything = np.concatenate([output.as_array() for output in found])
    origins = [place for output in found for place in output.source_info()]
    assert len(set(origins)) == 54
    for array, origin in zip(everything, origins, strict=True):
        path, _, number = origin.rpartition(", sample ")
        np.testing.assert_array_equal(array, volumes[paths.index(path)][int(number)][:, 2:4])


def test_members_of_archives_in_shards(tmp_path, volumes):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for i, volume in enumerate(volumes):
            with archive.open(f"{i}.npy", "w") as file:
                np.lib.format.write_array(file, volume)
    seen = []
    for shard in range(3):
        (found,) = reading(
            batch_size=2, files=[str(tmp_path / "a.zip")], roi="1", shard_id=shard, num_shards=3
        )
        seen += list(found.as_array())
    np.testing.assert_array_equal(np.stack(seen), np.stack(volumes)[:, 1])


def test_a_folder_and_a_list(tmp_path, volumes):
    for name in ("b/1.npy", "b/x.txt", "a/2.npy", "3.npy", "b/deep/4.npy"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        with (tmp_path / name).open("wb") as file:
            np.save(file, np.array(name)) if name.endswith("txt") else np.save(file, volumes[0])
    (found,) = reading(file_root=str(tmp_path))
    assert found.source_info() == ["3.npy", "a/2.npy", "b/1.npy"]
    (tmp_path / "list").write_bytes("\ufeffb/1.npy\r\n\n3.npy\n".encode())
    (found,) = reading(batch_size=2, file_list=str(tmp_path / "list"))
    assert found.source_info() == ["b/1.npy", "3.npy"]


def test_complex_numbers_and_the_type_of_the_list(tmp_path):
    np.save(tmp_path / "a.npy", np.array([1 + 2j, 3 - 4j], ">c8"))
    (found,) = reading(batch_size=1, files=[str(tmp_path / "a.npy")])
    assert found.dtype == types.FLOAT
    assert found.at(0).tolist() == [[1, 2], [3, -4]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "needs file_root, files or file_list"),
        ({"files": ["a"], "file_list": "b"}, "either files or file_list"),
        ({"files": ["a"], "roi": "1:2", "roi_start": [1]}, "roi and roi_start exclude"),
        ({"files": ["a"], "roi": "1:2", "roi_axes": [1]}, "roi and roi_axes exclude"),
        ({"files": ["a"], "roi_start": [1], "rel_roi_start": [1]}, "exclude one another"),
        ({"files": ["a"], "roi_end": [1], "roi_shape": [1]}, "exclude one another"),
        ({"files": ["a"], "roi": "::-1"}, "a step of -1; only positive steps are read"),
        ({"files": ["a"], "roi": "a"}, "'a' is no index"),
        ({"files": ["a"], "roi_axes": [1, 1]}, "names an axis twice"),
        ({"files": ["a"], "out_of_bounds_policy": "clamp"}, "'error', 'pad' or 'trim_to"),
    ],
)
def test_arguments_that_make_no_sense(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        reading(**arguments)


def test_nothing_to_read(tmp_path):
    with pytest.raises(SourceError, match=r"names no file"):
        reading(file_root=str(tmp_path))
    np.savez(tmp_path / "a.npz", x=1)
    with pytest.raises(SourceError, match=r"no member matches member_filter 'y\.npy'"):
        reading(files=[str(tmp_path / "a.npz")], member_filter="y.npy")


def test_numbers_of_values_that_differ(paths):
    def definition():
        start = fn.external_source(lambda: [np.zeros(1, int), np.zeros(3, int)])
        return fn.readers.numpy(files=paths, roi_start=start)

    with pytest.raises(ArgumentError, match=r"\[1, 3\] values for 'roi_start'"):
        batches(1, 2, definition)


@pytest.mark.parametrize("other", [np.ones((9, 10, 11)), np.ones((9, 10), "f4")])
def test_samples_of_a_batch_must_agree(paths, other):
    np.save(paths[1], other)
    with pytest.raises(
        DecodeError, match=r"1\.npy: the sample has .*, where most of its batch have 3 and"
    ):
        reading(files=paths)


def test_samples_of_a_batch_may_differ_in_shape(paths):
    np.save(paths[1], np.ones((2, 3, 4), "f4"))
    (found,) = reading(files=paths)
    assert found.shape() == [(9, 10, 11), (2, 3, 4), (9, 10, 11)]


class TestBadSamples:
    @pytest.fixture(params=["cut off", "type", "missing", "region"])
    def bad(self, request, paths):
        """Spoil file 1."""
        if request.param == "cut off":
            with open(paths[1], "r+b") as file:
                file.truncate(1000)
        elif request.param == "type":
            np.save(paths[1], np.ones((9, 10, 11)))
        elif request.param == "missing":
            np.save(paths[1], np.array([object()]), allow_pickle=True)
        else:
            np.save(paths[1], np.ones((2, 10, 11), "f4"))
        return request.param

    @pytest.mark.parametrize("per_sample", [False, True])
    @pytest.mark.parametrize("policy", ["skip", "replace"])
    def test_are_filled_in(self, paths, volumes, bad, policy, per_sample, tmp_path):
        def definition():
            if not per_sample:
                return fn.readers.numpy(files=paths, roi="1:4, 2:5"), types.Constant([1, 2, 0])
            start = fn.random.uniform(range=[1, 3], shape=[3], dtype=types.INT32)
            return fn.readers.numpy(files=paths, roi_start=start, roi_shape=[3, 3, 8]), start

        log = tmp_path / "bad.jsonl"
        for found, start in batches(2, 3, definition, on_error=policy, quarantine_log=log):
            assert found.is_dense_tensor()
            for i, origin in enumerate(found.source_info()):
                assert origin != paths[1]
                z, y, x = start.at(i).tolist()
                if policy == "replace" and not found.valid[i]:
                    continue  # a copy of another row, with its start
                width = 8 if per_sample else 11
                expected = volumes[paths.index(origin)][z : z + 3, y : y + 3, x : x + width]
                np.testing.assert_array_equal(found.at(i), expected)
        records = [json.loads(line) for line in log.read_text().splitlines()]
        assert {record["source"] for record in records} == {paths[1]}

    def test_raise_by_default(self, paths, bad):
        with pytest.raises((DecodeError, ArgumentError), match=r"1\.npy") as caught:
            reading(files=paths, roi="1:4, 2:5")
        assert any("sample 1 of batch 0" in note for note in caught.value.__notes__)


def test_stand_ins_agree_with_their_batch(paths, volumes):
    np.save(paths[1], np.ones((9, 10, 11)))
    np.save(paths[3], np.ones((9, 10, 11)))
    for found in reading(4, files=paths, pipeline={"on_error": "skip"}):
        assert found.is_dense_tensor()
        assert found.dtype == types.FLOAT


def test_resuming_gives_the_same_regions(paths):
    def definition():
        start = fn.random.uniform(range=[0, 5], shape=[3], dtype=types.INT32)
        return fn.readers.numpy(
            files=paths, roi_start=start, roi_shape=[4, 3, 2], random_shuffle=True
        )

    made = pipeline_def(definition, batch_size=2, num_threads=2, enable_checkpointing=True)
    with made() as pipe:
        pipe.run()
        state = pipe.checkpoint()
        expected = [pipe.run()[0].as_array().tolist() for _ in range(4)]
    with made(checkpoint=state) as pipe:
        assert [pipe.run()[0].as_array().tolist() for _ in range(4)] == expected


@pytest.mark.parametrize("options", [{"shuffle_block": 2, "shuffle_window": 2}, {}])
@pytest.mark.parametrize("depth", [None, 2])
def test_orders_and_reading_ahead(paths, volumes, options, depth):
    (first, second) = reading(
        2, files=paths, roi="2:4", random_shuffle=True, prefetch_queue_depth=depth, **options
    )
    origins = [*first.source_info(), *second.source_info()]
    assert sorted(origins) == paths
    both = np.concatenate([first.as_array(), second.as_array()])
    for array, origin in zip(both, origins, strict=True):
        np.testing.assert_array_equal(array, volumes[paths.index(origin)][2:4])


def test_the_older_name():
    assert OPERATORS["numpy_reader"] is OPERATORS["readers.numpy"]
