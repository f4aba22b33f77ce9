"""Copies out of mapped files are the arrays' elements, whatever happens to the files."""

import io
import os
import pickle
import zipfile

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError, DecodeError
from penstock.engine.processes import helper_processes
from penstock.readers.npy import mapped_copies
from penstock.readers.npy.region import RegionOfInterest
from penstock.readers.npy.source import NumpySource

from ..mapped import RANDOM, be_eager, new_reading, save_all, volumes
from ..tars import archive


@pytest.fixture(autouse=True)
def _eager(monkeypatch, tmp_path):
    be_eager(monkeypatch.setattr)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """A process for all of these tests; it takes a second to start."""
    paths = save_all(tmp_path_factory.mktemp("first"), volumes())
    made = new_reading()
    with pytest.MonkeyPatch.context() as patch:
        be_eager(patch.setattr)
        made.use(paths, "1:5, 2:").started()
    yield made
    made.close()


# Results


def numbers(dtype):
    found = (RANDOM.random((2, 40, 90, 100)) * 200).astype("i8")
    if np.dtype(dtype).kind == "c":
        return found[0] + 1j * found[1]
    return found[0].astype(dtype)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["u1", "<i2", ">i2", "f4", ">f8", "c8", ">c16", "M8[s]", "?"])
def test_types_and_orders(shared, tmp_path, dtype, order):
    arrays = [np.array(numbers(dtype), dtype, order=order) for _ in range(3)]
    expected = np.stack(arrays)
    if expected.dtype.kind == "c":
        expected = np.stack([expected.real, expected.imag], axis=-1)
    elif expected.dtype.kind == "M":
        expected = expected.astype("i8")
    paths = save_all(tmp_path, arrays)
    for roi, key in ((None, ()), ("2:39:2, 5:85, 1:99:3", np.s_[:, 2:39:2, 5:85, 1:99:3])):
        found = shared.use(paths, roi).all_mapped()
        np.testing.assert_array_equal(found, expected[key])
        assert found.dtype == expected.dtype.newbyteorder("=")


def test_random_regions(shared, tmp_path):
    array = RANDOM.integers(0, 1 << 30, (30, 31, 32, 33))
    path = tmp_path / "a.npy"
    for order in "CF" * 12:
        np.save(path, np.array(array, order=order))
        begins, steps = RANDOM.integers(0, 12, 4), RANDOM.integers(1, 3, 4)
        ends = begins + RANDOM.integers(12, 18, 4)
        key = tuple(map(slice, begins.tolist(), ends.tolist(), steps.tolist()))
        text = ", ".join(f"{entry.start}:{entry.stop}:{entry.step}" for entry in key)
        found = shared.use([path] * 4, text).all_mapped()
        np.testing.assert_array_equal(found, np.stack([array[key]] * 4), err_msg=text)


def test_samples_of_different_shapes(shared, tmp_path):
    arrays = [RANDOM.random((n, 90, 100)) for n in (5, 6, 7)]
    found = shared.use(save_all(tmp_path, arrays), "2:, 1:80").all_mapped()
    for row, array in zip(found, arrays, strict=True):
        np.testing.assert_array_equal(row, array[2:, 1:80])


def test_what_lies_outside_is_filled(shared, tmp_path):
    arrays = volumes()
    expected = np.full((4, 20, 45, 50), 7, "f4")
    expected[:, :8, :38] = np.stack(arrays)[:, 4:, 2:]
    reading = shared.use(save_all(tmp_path, arrays), "4:24, 2:47", policy="pad", fill_value=7)
    before = reading.mapped.nbytes
    np.testing.assert_array_equal(reading.read(), expected)
    assert reading.mapped.nbytes - before == 4 * 8 * 38 * 50 * 4


def test_samples_along_an_axis(shared, tmp_path):
    arrays = [RANDOM.random((30, 6, 50)) for _ in range(2)]
    found = shared.use(save_all(tmp_path, arrays), ":, 1:40", sample_axis=1).all_mapped()
    np.testing.assert_array_equal(found, np.concatenate(arrays, axis=1)[:, :, 1:40].swapaxes(0, 1))


def test_members_of_archives(shared, tmp_path):
    arrays = volumes(3)
    streams = [io.BytesIO() for _ in arrays]
    for stream, array in zip(streams, arrays, strict=True):
        np.save(stream, array)
    members = {f"{i}.npy": stream.getvalue() for i, stream in enumerate(streams)}
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as stored:
        stored.writestr("0.npy", members["0.npy"])
        stored.writestr("1.npy", members["1.npy"])
    (tmp_path / "b.tar").write_bytes(archive({"2.npy": members["2.npy"]}))
    found = shared.use([tmp_path / "a.zip", tmp_path / "b.tar"], "1:9, 3:").all_mapped()
    np.testing.assert_array_equal(found, np.stack(arrays)[:, 1:9, 3:])


def test_long_parts_are_divided(shared, tmp_path):
    array = RANDOM.integers(0, 255, (3, 1 << 12, 1 << 10), "u1")
    np.save(tmp_path / "a.npy", array)
    found = shared.use([tmp_path / "a.npy"], ":, :, 1:").all_mapped()
    np.testing.assert_array_equal(found[0], array[:, :, 1:])


def test_whole_arrays_from_four_mebibytes_on_are_copied_by_two_threads(shared, tmp_path, tuned):
    tuned(mapped_copies, MIN_LONG_RUNS_BYTES=4 << 20)
    arrays = [RANDOM.integers(0, 255, (count, 1 << 20), "u1") for count in (4, 3)]
    large, small = save_all(tmp_path, arrays)
    np.testing.assert_array_equal(shared.use([large]).all_mapped()[0], arrays[0])
    before = shared.mapped.nbytes
    np.testing.assert_array_equal(shared.use([small]).read()[0], arrays[1])
    assert shared.mapped.nbytes == before


def test_memory_elsewhere_is_left(shared, tmp_path):
    arrays = volumes()
    shared.use(save_all(tmp_path, arrays), "1:, 1:")
    before = shared.mapped.nbytes
    (found,) = shared.source.read(np.arange(4), np.empty)
    np.testing.assert_array_equal(found, np.stack(arrays)[:, 1:, 1:])
    assert shared.mapped.nbytes == before


def test_copies_of_the_source_have_none(shared, tmp_path):
    arrays = volumes()
    source = shared.use(save_all(tmp_path, arrays), "1:, 1:").source
    before = shared.mapped.nbytes
    (found,) = pickle.loads(pickle.dumps(source)).read(np.arange(4), shared.pool.empty)
    np.testing.assert_array_equal(found, np.stack(arrays)[:, 1:, 1:])
    assert shared.mapped.nbytes == before


# Files that are not what they were


def cold(path):
    """Drop a file out of memory."""
    number = os.open(path, os.O_RDONLY)
    os.fsync(number)
    os.posix_fadvise(number, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(number)


def test_files_that_are_not_in_memory(shared, tmp_path):
    arrays = volumes()
    paths = save_all(tmp_path, arrays)
    for path in paths[1:]:
        cold(path)  # not later: what is mapped stays in memory
    shared.use(paths, "1:, 1:")
    for _ in range(3):
        np.testing.assert_array_equal(shared.read(), np.stack(arrays)[:, 1:, 1:])


def test_a_file_that_was_replaced(shared, tmp_path):
    arrays = volumes()
    paths = save_all(tmp_path, arrays)
    shared.use(paths, "1:, 1:").all_mapped()
    other = volumes(1)
    (tmp_path / "new").mkdir()
    os.replace(*save_all(tmp_path / "new", other), paths[2])
    found = shared.all_mapped()
    np.testing.assert_array_equal(found, np.stack([*arrays[:2], *other, arrays[3]])[:, 1:, 1:])


def test_a_file_that_is_replaced_meanwhile(shared, tmp_path, monkeypatch):
    arrays, others = volumes(), volumes()
    paths = save_all(tmp_path, arrays)
    (tmp_path / "new").mkdir()
    new = save_all(tmp_path / "new", others)
    shared.use(paths, "1:, 1:").all_mapped()
    ask = helper_processes._LivingProcesses.send

    def late(helper, request):
        os.replace(new[2], paths[2])
        return ask(helper, request)

    before = shared.mapped.nbytes
    shared.use(paths, "1:, 1:")  # expects nothing of the files
    with monkeypatch.context() as patch:
        patch.setattr(helper_processes._LivingProcesses, "send", late)
        found = shared.read()
    assert shared.mapped.nbytes - before == 3 * found[0].nbytes  # that one was left
    for i in (0, 1, 3):
        np.testing.assert_array_equal(found[i], arrays[i][1:, 1:])


# Files that are alike


def expect(reading, monkeypatch):
    """Let the source expect files like those that it read last, and open none of them itself."""
    reading.all_mapped()
    monkeypatch.setattr(NumpySource, "locate", None)
    return reading


@pytest.mark.parametrize(
    ("roi", "key"),
    [
        (None, ...),
        ("1:9, :, ::2", np.s_[:, 1:9, :, ::2]),
        ("4", np.s_[:, 4]),
        ("-4:, :, 7:90:3", np.s_[:, -4:, :, 7:90:3]),
    ],
)
@pytest.mark.parametrize("dtype", ["f4", "u1", "?", "c8"])
def test_files_that_are_alike(shared, tmp_path, monkeypatch, roi, key, dtype):
    arrays = [(RANDOM.random((12, 80, 100)) * 255).astype(dtype) for _ in range(5)]
    reading = expect(shared.use(save_all(tmp_path, arrays), roi), monkeypatch)
    expected = np.stack(arrays)[key]
    if dtype == "c8":
        expected = np.stack([expected.real, expected.imag], axis=-1)
    np.testing.assert_array_equal(reading.all_mapped(), expected)
    order = np.array([3, 0, 3, 3, 1])
    before = reading.mapped.nbytes
    (found,) = reading.source.read(order, reading.pool.empty)
    np.testing.assert_array_equal(found, expected[order])
    assert reading.mapped.nbytes - before == found.nbytes


def test_a_region_of_each_sample(shared, tmp_path, monkeypatch):
    arrays = volumes(5)
    source = shared.use(save_all(tmp_path, arrays)).source
    shape = {"start": None, "shape": (8, 20, 30)}
    source.samples.region = RegionOfInterest(shape, (), None, "error")
    for number in range(4):
        starts = RANDOM.integers(0, (4, 20, 20), (5, 3))
        before = shared.mapped.nbytes
        (found,) = source.read(np.arange(5), shared.pool.empty, {"start": starts})
        for row, array, (z, y, x) in zip(found, arrays, starts, strict=True):
            np.testing.assert_array_equal(row, array[z : z + 8, y : y + 20, x : x + 30])
        assert shared.mapped.nbytes - before == found.nbytes
        if not number:
            monkeypatch.setattr(NumpySource, "locate", None)
    monkeypatch.undo()
    starts[2, 1] = 21
    with pytest.raises(ArgumentError, match=r"2\.npy.* reaches out of the sample"):
        source.read(np.arange(5), shared.pool.empty, {"start": starts})


def test_batches_that_are_begun_together(shared, tmp_path):
    arrays = volumes(6)
    source = shared.use(paths := save_all(tmp_path, arrays)).source
    shape = {"start": None, "shape": (8, 20, 30)}
    source.samples.region = RegionOfInterest(shape, (), None, "error")
    starts = RANDOM.integers(0, (4, 20, 20), (6, 3))
    starts[1, 2] = 19  # reaches out of the file that takes its place below
    everything = np.arange(6)

    def begin(rows):
        return source.start(rows, shared.pool.empty, {"start": starts[rows]})

    assert not begin(everything).elsewhere  # nothing is known of the files
    source.read(everything, shared.pool.empty, {"start": starts})
    halves = everything[:3], everything[3:]
    begun = [begin(rows) for rows in halves]
    assert all(pending.elsewhere for pending in begun)
    found = [pending.result()[0] for pending in begun]
    for rows, half in zip(halves, found, strict=True):
        for row, sample in zip(rows, half, strict=True):
            z, y, x = starts[row]
            np.testing.assert_array_equal(sample, arrays[row][z : z + 8, y : y + 20, x : x + 30])
    begun = [begin(rows) for rows in halves]
    # Another file takes its place: one that is cut short would end the process, which copies now.
    np.save(tmp_path / "other.npy", np.load(paths[1]).reshape(12, 50, 40))
    (tmp_path / "other.npy").replace(paths[1])
    with pytest.raises(ArgumentError):
        begin(halves[0]).result()  # reads what the process did not copy
    assert not begin(halves[0]).elsewhere  # the files are not expected to be alike any more
    for pending in begun:
        pending.cancel()


def other_dtype(path):
    np.save(path, np.load(path).view("i4"))


def other_shape(path):
    np.save(path, np.load(path).reshape(12, 50, 40))


def other_size(path):
    with path.open("ab") as file:
        file.write(bytes(64))


def other_content(path):
    np.save(path, np.load(path) + 1)


@pytest.mark.parametrize("change", [other_dtype, other_shape, other_size, other_content])
def test_a_file_that_has_changed(shared, tmp_path, change):
    arrays = volumes()
    paths = save_all(tmp_path, arrays)
    reading = shared.use(paths, "1:, 1:30, 1:30")
    reading.all_mapped()
    change(paths[2])
    expected = [np.load(path)[1:, 1:30, 1:30] for path in paths]
    for _ in range(3):
        for found, wanted in zip(reading.read(), expected, strict=True):
            np.testing.assert_array_equal(found, wanted)
            assert found.dtype == wanted.dtype


def test_a_file_that_is_cut_short(shared, tmp_path):
    paths = save_all(tmp_path, volumes())
    reading = shared.use(paths, "1:, 1:")
    reading.all_mapped()
    os.truncate(paths[1], 1000)
    with pytest.raises(DecodeError, match=r"1\.npy.*96000 bytes, but 872 follow"):
        reading.read()


def test_a_file_that_is_missing(shared, tmp_path):
    paths = save_all(tmp_path, volumes())
    reading = shared.use(paths, "1:, 1:")
    reading.all_mapped()
    paths[3].unlink()
    with pytest.raises(FileNotFoundError, match=r"3\.npy"):
        reading.read()


def test_files_that_are_alike_and_not_in_memory(shared, tmp_path):
    arrays = volumes(6)
    paths = save_all(tmp_path, arrays)
    for path in paths[3:]:
        cold(path)
    source = shared.use(paths, "1:, 1:").source
    for rows in ([0, 1, 2], [3, 4, 5], [0, 4, 2], [3, 4, 5]):
        (found,) = source.read(np.array(rows), shared.pool.empty)
        np.testing.assert_array_equal(found, np.stack(arrays)[rows, 1:, 1:])
