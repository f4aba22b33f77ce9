import os
import zipfile

import numpy as np
import pytest

from penstock import fn
from penstock.engine.errors import ArgumentError, DecodeError, SourceError
from penstock.readers.npy import source as npy_source
from penstock.readers.npy.expected_header import ExpectedHeader
from penstock.testing.descriptors import open_below
from penstock.testing.readers import SourceConformance

from ..npy_files import RANDOM, read, save_all, saved, source_of
from ..tars import archive

pytestmark = pytest.mark.usefixtures("user_cache")


RAGGED = [RANDOM.random(shape).astype("f4") for shape in [(3, 4), (70, 90), (0, 5), (1, 1)]]
EVEN = [RANDOM.integers(0, 99, (6, 7, 8)).astype("i2") for _ in range(5)]


class TestRaggedFiles(SourceConformance):
    @pytest.fixture
    def source(self, tmp_path):
        return source_of(save_all(tmp_path, RAGGED))

    @pytest.fixture
    def expected(self):
        return [(array,) for array in RAGGED]

    @pytest.fixture
    def files(self, source, tmp_path):
        return [tmp_path / f"{i}.npy" for i in range(len(RAGGED))]

    def read(self, paths):
        return fn.readers.numpy(files=paths)

    def test_where(self, source, tmp_path):
        assert source.where(1) == f"{tmp_path}/1.npy"

    def test_close_closes_the_files(self, source, tmp_path):
        read(source)
        assert set(open_below(tmp_path)) == {f"{tmp_path}/{i}.npy" for i in range(len(RAGGED))}
        source.close()
        assert open_below(tmp_path) == []


class TestEvenFiles(SourceConformance):
    @pytest.fixture
    def source(self, tmp_path):
        return source_of(save_all(tmp_path, EVEN))

    @pytest.fixture
    def expected(self):
        return [(array,) for array in EVEN]


class TestRegions(SourceConformance):
    @pytest.fixture
    def source(self, tmp_path):
        arrays = [np.asfortranarray(array) if i % 2 else array for i, array in enumerate(EVEN)]
        return source_of(save_all(tmp_path, arrays), "1:5:2, 3, 2:", keep_headers=True)

    @pytest.fixture
    def expected(self):
        return [(array[1:5:2, 3, 2:],) for array in EVEN]


class TestSamplesAlongAnAxis(SourceConformance):
    @pytest.fixture
    def source(self, tmp_path):
        return source_of(save_all(tmp_path, [*EVEN, EVEN[0][:, :0]]), ":, 1:4", sample_axis=1)

    @pytest.fixture
    def expected(self):
        return [(array[:, i, 1:4],) for array in EVEN for i in range(7)]

    @pytest.fixture
    def files(self, source, tmp_path):
        return [tmp_path / f"{i}.npy" for i in range(len(EVEN))]

    def read(self, paths):
        return fn.readers.numpy(files=paths, sample_axis=1)[..., 1:4]

    def test_where(self, source, tmp_path):
        assert source.where(8) == f"{tmp_path}/1.npy, sample 1"


class TestArchives(SourceConformance):
    @pytest.fixture
    def source(self, tmp_path):
        members = {f"x/{i}.npy": saved(array) for i, array in enumerate(EVEN)}
        with zipfile.ZipFile(tmp_path / "a.zip", "w") as stored:
            for name in ("x/0.npy", "x/1.npy"):
                stored.writestr(name, members[name])
            stored.writestr("other.txt", b"text")
        np.savez_compressed(tmp_path / "b.npz", packed=EVEN[2])
        tar = archive({"x/3.npy": members["x/3.npy"], "note": b"", "x/4.npy": members["x/4.npy"]})
        (tmp_path / "c.tar").write_bytes(tar)
        (tmp_path / "d.npy").write_bytes(saved(EVEN[0]))
        return source_of([tmp_path / name for name in ("a.zip", "b.npz", "c.tar", "d.npy")], "2:5")

    @pytest.fixture
    def expected(self):
        return [(array[2:5],) for array in [*EVEN, EVEN[0]]]

    def test_where(self, source, tmp_path):
        assert source.where(1) == f"{tmp_path}/a.zip, member 'x/1.npy'"
        assert source.where(2) == f"{tmp_path}/b.npz, member 'packed.npy'"
        assert source.where(4) == f"{tmp_path}/c.tar, member 'x/4.npy'"
        assert source.where(5) == f"{tmp_path}/d.npy"


def test_members_along_an_axis(tmp_path):
    np.savez(tmp_path / "a.npz", image=EVEN[0], label=np.arange(6))
    np.savez_compressed(tmp_path / "b.npz", image=EVEN[1], label=np.arange(6) + 6)
    paths = [tmp_path / "a.npz", tmp_path / "b.npz"]
    images = source_of(paths, "1", "image.npy", sample_axis=0)
    labels = source_of(paths, None, "label.npy", sample_axis=0)
    order = np.random.default_rng(2).permutation(12)
    both = np.concatenate(EVEN[:2])
    np.testing.assert_array_equal(read(images, order), both[order, 1])
    assert read(labels, order).tolist() == order.tolist()


@pytest.mark.parametrize("dtype", ["?", "i1", ">u2", "<i4", ">i8", "f2", ">f4", "f8", ">c8", "c16"])
@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("roi", [None, "1:, ::2"])
def test_types(tmp_path, dtype, order, roi):
    arrays = [np.asarray(RANDOM.random((4, 5)) * 100, dtype, order=order) for _ in range(3)]
    found = read(source_of(save_all(tmp_path, arrays), roi))
    assert found.dtype.isnative
    if found.dtype != arrays[0].dtype and dtype[-2:] in ("c8", "16"):
        found = found.view(arrays[0].dtype.newbyteorder("="))[..., 0]
    expected = np.stack(arrays) if roi is None else np.stack(arrays)[:, 1:, ::2]
    expected = expected.astype(arrays[0].dtype.newbyteorder("="))
    np.testing.assert_array_equal(found, expected, strict=True)


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_versions_and_long_headers(tmp_path, version):
    data = saved(np.arange(4), version)
    width = 2 if version == (1, 0) else 4
    begin = 8 + width
    length = int.from_bytes(data[8:begin], "little")
    text = data[begin : begin + length].rstrip() + b" " * 5000 + b"\n"
    padded = data[:8] + len(text).to_bytes(width, "little") + text + data[begin + length :]
    (tmp_path / "a.npy").write_bytes(data)
    (tmp_path / "b.npy").write_bytes(padded)
    found = read(source_of([tmp_path / "a.npy", tmp_path / "b.npy"], "1:3"))
    assert found.tolist() == [[1, 2], [1, 2]]


@pytest.mark.parametrize("unit", ["s", "25ns", "D"])
def test_dates_are_counted_in_their_unit(tmp_path, unit):
    for kind in "mM":
        array = np.array([-1, 7, 10**9], f">{kind}8[{unit}]")
        (path,) = save_all(tmp_path, [array])
        found = read(source_of([path], "1:"))
        assert found.dtype == np.int64
        assert found.tolist() == [[7, 10**9]]


def test_booleans_are_0_or_1(tmp_path):
    data = saved(np.zeros(4, bool))[:-4] + b"\0\1\2\xff"
    for name in "ab":
        (tmp_path / f"{name}.npy").write_bytes(data)
    source = source_of([tmp_path / "a.npy", tmp_path / "b.npy"])
    for _ in range(2):
        assert read(source).view(np.uint8).tolist() == [[0, 1, 1, 1]] * 2


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2)])
def test_scalars_and_empty_arrays(tmp_path, shape):
    arrays = [np.full(shape, i, "f4") for i in range(3)]
    source = source_of(save_all(tmp_path, arrays))
    for _ in range(2):
        np.testing.assert_array_equal(read(source), np.stack(arrays), strict=True)


@pytest.mark.parametrize(
    ("dtype", "fill", "expected"),
    [
        ("f4", 7.5, 7.5),
        ("u1", -3, 0),
        ("u1", 2.5, 3),
        ("i2", -2.5, -3),
        ("i1", 300, 127),
        ("?", 2, 1),
    ],
)
@pytest.mark.parametrize("order", "CF")
def test_padding(tmp_path, dtype, fill, expected, order):
    array = np.asarray(np.ones((3, 4)), dtype, order=order)
    (path,) = save_all(tmp_path, [array])
    source = source_of([path], "-4:4, 2:6", policy="pad", fill_value=fill)
    (found,) = read(source)
    want = np.full((5, 4), expected, dtype)
    want[1:4, :2] = 1
    np.testing.assert_array_equal(found, want, strict=True)


def test_an_object_array_is_refused_unpickled(tmp_path):
    class Trap:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "sprung"),)

    path = tmp_path / "a.npy"
    with path.open("wb") as file:
        np.save(file, np.array([Trap()], object), allow_pickle=True)
    with pytest.raises(DecodeError, match=r"a\.npy: .*Python objects, which only unpickling"):
        read(source_of([path]))
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "it is empty"),
        (b"\x80\x04\x95pickle", r"no \.npy file: it begins with"),
        (b"PK\x03\x04" + bytes(30), "begins with b'PK"),
        (saved(np.ones(5))[:-1], r"shape \(5,\) and type float64 takes 40 bytes, but 39 follow"),
        (saved(np.ones(5))[:100], "cut off after 100 bytes, in the header"),
        (saved(np.ones(5)).replace(b"(5,), ", b"(9,), "), "takes 72 bytes, but 40 follow"),
        (saved(np.ones(5)).replace(b"'<f8'", b"'<X8'"), "cannot be understood"),
        (saved(np.array(["text"])), "strings"),
        (saved(np.zeros(2, "i4,f4")), "stands for records"),
    ],
)
@pytest.mark.parametrize("roi", [None, "1:2"])
def test_damaged_files_are_named(tmp_path, content, message, roi):
    paths = save_all(tmp_path, [np.ones(5)] * 3)
    source = source_of(paths, roi)
    read(source)
    paths[1].write_bytes(content)
    with pytest.raises(DecodeError, match=rf"1\.npy: .*{message}"):
        read(source)


def test_a_missing_file_is_named(tmp_path):
    paths = save_all(tmp_path, [np.ones(5)] * 3)
    source = source_of(paths)
    read(source)
    paths[1].unlink()
    with pytest.raises(FileNotFoundError, match=r"1\.npy"):
        read(source)


@pytest.mark.parametrize("keep_headers", [False, True])
def test_files_that_change_are_read_as_they_are(tmp_path, keep_headers):
    paths = save_all(tmp_path, [np.ones((2, 3))] * 2)
    source = source_of(paths, "1", keep_headers=keep_headers)
    read(source)
    paths[1].write_bytes(saved(np.full((2, 4), 7, "i2")))
    found = read(source)
    assert [array.tolist() for array in found] == [[1, 1, 1], [7, 7, 7, 7]]
    assert found[1].dtype == np.int16


@pytest.mark.parametrize("keep_headers", [False, True])
def test_archives_that_change_are_refused(tmp_path, keep_headers):
    np.savez(tmp_path / "a.npz", x=np.arange(3), y=np.arange(4))
    source = source_of([tmp_path / "a.npz"], "1:", keep_headers=keep_headers)
    source.read(np.array([1]), np.empty)
    np.savez(tmp_path / "a.npz", y=np.arange(4), x=np.arange(30))
    with pytest.raises(SourceError, match=r"a\.npz has changed since it was indexed"):
        source.read(np.array([1]), np.empty)


def test_samples_along_an_axis_whose_extent_changes_are_refused(tmp_path):
    paths = save_all(tmp_path, [np.ones((2, 3))] * 2)
    source = source_of(paths, sample_axis=0)
    paths[1].write_bytes(saved(np.ones((1, 3))))
    with pytest.raises(SourceError, match=r"1\.npy has changed since its samples were counted"):
        read(source)


@pytest.mark.parametrize(
    ("array", "axis", "error", "message"),
    [
        (np.ones(()), 0, DecodeError, r"no axis 0 in an array of shape \(\)"),
        (np.ones((2, 3)), 2, DecodeError, r"no axis 2 in .* \(2, 3\)"),
        (np.ones((0, 3)), 0, SourceError, "no array has an element along the axis 0"),
    ],
)
def test_axes_that_hold_no_samples(tmp_path, array, axis, error, message):
    with pytest.raises(error, match=message):
        source_of(save_all(tmp_path, [array]), sample_axis=axis)


def test_a_region_that_does_not_fit_names_the_sample(tmp_path):
    source = source_of(save_all(tmp_path, [np.ones((9, 3)), np.ones((4, 3))]), "0:5")
    with pytest.raises(ArgumentError, match=r"1\.npy: the region .* \(0, 0\) to \(5, 3\)"):
        read(source)


def test_a_region_that_fits_no_more_names_the_sample(tmp_path):
    paths = save_all(tmp_path, [np.ones((9, 3))] * 2)
    source = source_of(paths, "0:5")
    read(source)
    read(source)
    paths[1].write_bytes(saved(np.ones((4, 3))))
    with pytest.raises(ArgumentError, match=r"1\.npy: the region .* \(0, 0\) to \(5, 3\)"):
        read(source)


@pytest.mark.parametrize("roi", ["2", "1:5:2, 3, 2:", "..., 4"])
def test_regions_of_files_that_are_alike_are_read_without_a_plan(tmp_path, roi, monkeypatch):
    source = source_of(save_all(tmp_path, EVEN), roi)
    found = read(source)
    monkeypatch.delattr(type(source), "locate")
    np.testing.assert_array_equal(read(source), found)
    np.testing.assert_array_equal(read(source, np.array([3, 3, 0])), found[[3, 3, 0]])


def test_more_files_than_may_be_open(tmp_path):
    paths = save_all(tmp_path, [np.full(3, i) for i in range(700)])
    source = source_of(paths, "1:")
    found = read(source, np.arange(700)[::-1])
    assert found[:, 0].tolist() == list(range(700))[::-1]
    assert 0 < len(open_below(tmp_path)) <= 256
    source.close()


def test_a_batch_that_would_inflate_to_more_than_memory_is_refused(tmp_path, tuned):
    np.savez_compressed(tmp_path / "a.npz", zeros=np.zeros((400, 1000)))
    whole = source_of([tmp_path / "a.npz"])
    assert not read(whole).any()
    tuned(npy_source, MAX_INFLATED_FRACTION=1e-6)
    with pytest.raises(SourceError, match=r"a\.npz.*: the deflated members of one batch"):
        read(whole)
    assert read(source_of([tmp_path / "a.npz"], "7, :5")).tolist() == [[0.0] * 5]


def test_regions_that_need_a_plan_are_refused_once(tmp_path, monkeypatch):
    """The verdict on single reads stays, although each batch expects the same files again."""
    source = source_of(save_all(tmp_path, EVEN), "1:9", policy="pad")
    asked = []
    may_read = ExpectedHeader.may_read
    monkeypatch.setattr(
        ExpectedHeader, "may_read", lambda *given: asked.append(given) or may_read(*given)
    )
    for _ in range(4):
        (found,) = source.read(np.arange(5), np.empty)
        np.testing.assert_array_equal(found[:, :5], np.stack(EVEN)[:, 1:])
    assert len(asked) == 1


def test_archives_whose_times_alone_change_are_read_on(tmp_path):
    np.savez(tmp_path / "a.npz", x=np.arange(3), y=np.arange(4))
    source = source_of([tmp_path / "a.npz"], "1:")
    for mode in (0o600, 0o644):
        (tmp_path / "a.npz").chmod(mode)
        (found,) = source.read(np.array([1]), np.empty)
        assert found[0].tolist() == [1, 2, 3]
