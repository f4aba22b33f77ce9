import os
from collections import Counter

import numpy as np
import pytest

from penstock import fn, types
from penstock.engine.errors import ArgumentError, SourceError
from penstock.readers.webdataset.dali_index import write_dali_index
from penstock.readers.webdataset.reader import WebDataset
from penstock.readers.webdataset.source import open_archives
from penstock.testing.readers import SourceConformance, assert_columns

from ...conftest import kept_index
from ..tars import CLOSING, archive, entry, header, pax, write

pytestmark = pytest.mark.usefixtures("user_cache")

LONG = "deep/" * 30 + "name"


def save(path, files, form="ustar"):
    path.write_bytes(archive(files, form))
    return str(path)


def indexed(path):
    write_dali_index(path, path + ".idx")
    return path + ".idx"


def read(source):
    columns = source.read(np.arange(len(source)), np.empty)
    return list(zip(*([a.tobytes() for a in column] for column in columns), strict=True))


class TestWebDatasetSource(SourceConformance):
    @pytest.fixture(params=["scan", "index"])
    def source(self, tmp_path, request):
        random = np.random.default_rng(1)
        self.images = [random.bytes(size) for size in (100_000, 0, 77, 512, 30_000)]
        self.values = [random.integers(0, 9, n, np.int32) for n in (1, 0, 3, 2, 1000)]
        files = {}
        for i, (image, value) in enumerate(zip(self.images, self.values, strict=True)):
            files |= {f"d.1/{i}.jpg": image, f"d.1/{i}.x.i4": value.tobytes(), f"d.1/{i}.txt": b""}
        del files["d.1/3.x.i4"]
        paths = [
            save(tmp_path / "a.tar", dict(list(files.items())[:6])),
            save(tmp_path / "b.tar", dict(list(files.items())[6:])),
        ]
        indexes = [indexed(path) for path in paths] if request.param == "index" else ()
        dtypes = [np.int32, np.uint8]
        return open_archives(paths, ["x.i4", "png;jpg"], index_paths=indexes, dtypes=dtypes)

    @pytest.fixture
    def expected(self, source):
        self.values[3] = np.empty(0, np.int32)
        return [
            (value, np.frombuffer(image, np.uint8))
            for value, image in zip(self.values, self.images, strict=True)
        ]

    left = 5

    @pytest.fixture
    def files(self, source, tmp_path):
        return [tmp_path / "a.tar", tmp_path / "b.tar"]

    def read(self, paths):
        dtypes = [types.INT32, types.UINT8]
        return fn.readers.webdataset(paths=paths, ext=["x.i4", "png;jpg"], dtypes=dtypes)

    def test_where(self, source, tmp_path):
        assert source.where(0) == f"{tmp_path}/a.tar, sample 0 'd.1/0', offset 512"
        assert source.where(3).startswith(f"{tmp_path}/b.tar, sample 1 'd.1/3', offset ")

    def test_components_are_aligned_to_their_type(self, source):
        for _ in range(5):
            column, _ = source.read(np.array([4, 2, 0, 4]), np.empty)
            assert all(array.flags.aligned for array in column)


@pytest.mark.parametrize(
    ("files", "keys"),
    [
        (["a.t", "b.t", "c.t"], ["a", "b", "c"]),
        (["a.t", "a.u", "b.u", "b.t"], ["a", "b"]),
        (["a.t", "b.t", "a.u"], ["a", "b", "a"]),
        (["x/a.t", "y/a.t", "y/a.u"], ["x/a", "y/a"]),
        (["x.1/a.t", "x.2/a.b.t", "x.2/a.b.u"], ["x.1/a", "x.2/a"]),
        ([".hidden.t", "x/.t", "a.t", "./b.t"], ["a", "./b"]),
        (["a.t", "README", "a.u"], ["a", "README", "a"]),
        ([f"{LONG}/1.t", f"{LONG}/1.u", f"{LONG}/2.t"], [f"{LONG}/1", f"{LONG}/2"]),
        (["../../a.t", "/b.t"], ["../../a", "/b"]),
        (["\udcff.t"], ["\udcff"]),
    ],
)
@pytest.mark.filterwarnings("ignore:.*no sample has a component 'u'")
def test_samples(tmp_path, files, keys):
    names = {name: os.fsencode(name) for name in files}
    path = save(tmp_path / "a.tar", names, "gnu")
    source = open_archives([path], ["t", "u"])
    assert [source.where(i).split(" ", 3)[3].split(", offset")[0] for i in range(len(keys))] == [
        repr(key) for key in keys
    ]
    assert len(source) == len(keys)


def test_the_extension_can_begin_at_the_last_dot(tmp_path):
    path = save(tmp_path / "a.tar", {"a.1.t": b"1", "a.1.u": b"2", "a.2.t": b"3"})
    assert read(open_archives([path], ["t", "u"], extension_dot="last")) == [
        (b"1", b"2"),
        (b"3", b""),
    ]
    assert read(open_archives([path], ["1.t", "2.t"])) == [(b"1", b"3")]
    with pytest.raises(ArgumentError, match="'first' or 'last', but is 'middle'"):
        fn.readers.webdataset(paths=path, ext=["t"], extension_dot="middle")


def test_the_first_matching_component_counts(tmp_path):
    parts = [
        entry(b"a.png", b"1"),
        entry(b"a.jpg", b"2"),
        entry(b"a.jpg", b"3"),
        entry(b"b.t", b""),
    ]
    path = write(tmp_path / "a.tar", *parts)
    said = r"1 samples have two components of one name, .* sample 0 'a' of .*a\.tar"
    for ext in ("jpg;png", "png;jpg"):
        with pytest.warns(RuntimeWarning, match=said) as warned:
            source = open_archives([path], [ext, "jpg", ext])
        assert len(warned) == 1
        assert read(source) == [(b"1", b"2", b"1"), (b"", b"", b"")]
    assert read(open_archives([path], ["png", "jpg;png"])) == [(b"1", b"1"), (b"", b"")]


def test_case(tmp_path):
    path = save(tmp_path / "a.tar", {"a.JPG": b"1", "b.JPG": b"0", "b.jpg": b"2", "c.Jpg": b"3"})
    assert read(open_archives([path], ["jpg"], missing="error")) == [(b"1",), (b"2",), (b"3",)]
    strict = open_archives([path], ["jpg"], missing="skip", case_sensitive=True)
    assert read(strict) == [(b"2",)]
    loose = open_archives([path], ["jPG"], missing="skip", case_sensitive=False)
    assert read(loose) == [(b"1",), (b"0",), (b"3",)]


def test_a_name_that_fits_two_components_without_case_is_an_error(tmp_path):
    files = {"0.png": b"0", "1.jpg": b"1", "1.JPG": b"2", "2.jpg": b"3"}
    path = save(tmp_path / "a.tar", files)
    said = r"a\.tar, sample 1 '1' has the components 'jpg' and 'JPG', and 'Jpg' .* as 'jpg;JPG'"
    for ext in (["Jpg"], ["png", "Jpg"]):
        with pytest.raises(ArgumentError, match=said):
            open_archives([path], ext)
    assert read(open_archives([path], ["JPG"])) == [(b"",), (b"2",), (b"3",)]
    assert read(open_archives([path], ["PNG;jpg"])) == [(b"0",), (b"1",), (b"3",)]
    assert read(open_archives([path], ["Jpg"], missing="skip", case_sensitive=False)) == [
        (b"1",),
        (b"3",),
    ]


def test_components_that_case_hides_are_proposed(tmp_path):
    path = save(tmp_path / "a.tar", {"n01.JPEG": b"1", "n01.cls": b"2"})
    options = {"case_sensitive": True, "dtypes": [np.uint8, np.int32]}
    proposed = r"'jpg;jpeg;png'; did you mean 'JPEG'\? .*case_sensitive_extensions=False"
    with pytest.raises(SourceError, match=proposed):
        open_archives([path], ["jpg;jpeg;png", "cls"], missing="skip", **options)
    with pytest.warns(UserWarning, match=proposed):
        open_archives([path], ["jpg;jpeg;png", "cls"], **options)


def test_missing_components(tmp_path):
    path = save(tmp_path / "a.tar", {"a.t": b"1", "b.t": b"2", "b.u": b"3", "c.u": b"4"})
    assert read(open_archives([path], ["t", "u"])) == [(b"1", b""), (b"2", b"3"), (b"", b"4")]
    skipped = open_archives([path], ["t", "u"], missing="skip")
    assert read(skipped) == [(b"2", b"3")]
    assert "sample 1 'b'" in skipped.where(0)
    with pytest.raises(SourceError, match=r"a\.tar, sample 0 'a' has no component 'u'"):
        open_archives([path], ["t", "u"], missing="error")
    assert len(open_archives([path], ["t;u"], missing="error")) == 3


def test_no_sample_raises(tmp_path):
    path = save(tmp_path / "a.tar", {"a.t": b"1"})
    with pytest.raises(SourceError, match=r"a\.tar: no sample has the components 'x'; .* are t$"):
        open_archives([path], ["x"], missing="skip")
    with pytest.raises(SourceError, match=r"a\.tar \.\.\.: no sample .* 't' and 'u'; .* are t"):
        open_archives([path, path], ["t", "u"], missing="skip")
    write(tmp_path / "empty.tar")
    with pytest.raises(SourceError, match="are none"):
        open_archives([str(tmp_path / "empty.tar")], ["x"])
    with pytest.raises(FileNotFoundError, match=r"none\.tar"):
        open_archives([str(tmp_path / "none.tar")], ["x"])


def test_a_component_that_no_sample_has_is_empty_with_a_warning(tmp_path):
    path = save(tmp_path / "a.tar", {"a.jpg": b"1", "b.jpg": b"22"})
    with pytest.warns(UserWarning, match=r"'jpgg'; did you mean 'jpg'\? \(the extensions are jpg"):
        source = open_archives([path], ["jpgg", "jpg"], dtypes=[np.int32, np.uint8])
    empty, whole = source.read(np.arange(2), np.empty)
    assert [(array.size, array.dtype) for array in empty] == [(0, np.int32)] * 2
    assert [array.tobytes() for array in whole] == [b"1", b"22"]


def test_archives_of_every_form_are_read(tmp_path):
    files = {f"{LONG}/1.t": b"1", f"{LONG}/1.u": b"22"}
    for form in ("pax", "gnu"):
        assert read(open_archives([save(tmp_path / form, files, form)], ["u", "t"])) == [
            (b"22", b"1")
        ]


def test_sizes_that_do_not_fit_the_type_raise(tmp_path):
    path = save(tmp_path / "a.tar", {"a.x": bytes(8), "b.x": bytes(9)})
    source = open_archives([path], ["x"], dtypes=[np.float64])
    assert source.read(np.array([0]), np.empty)[0][0].dtype == np.float64
    with pytest.raises(SourceError, match=r"sample 1 'b', offset 1536: 9 bytes are no multiple"):
        read(source)


def test_an_index_of_another_archive_raises(tmp_path):
    one = save(tmp_path / "1.tar", {"a.t": b"123", "b.t": b"45"})
    two = save(tmp_path / "2.tar", {"0.t": b"", "a.t": b"123", "b.t": b"45"})
    source = open_archives([two], ["t"], index_paths=[indexed(one)])
    with pytest.raises(SourceError, match=r"2\.tar, sample 0 'a', offset 512: no file of 3 bytes"):
        source.read(np.array([0]), np.empty)
    with pytest.raises(SourceError, match=r"sample 1 'b', offset 1536: no file of 2 bytes"):
        source.read(np.array([1]), np.empty)


def test_an_index_may_belong_to_an_archive_without_padding(tmp_path):
    path = save(tmp_path / "a.tar", {"a.t": b"123", "b.t": b"45"})
    index = indexed(path)
    os.truncate(path, 1536 + 2)
    assert read(open_archives([path], ["t"], index_paths=[index])) == [(b"123",), (b"45",)]


def test_a_size_in_another_notation_fits_its_index(tmp_path):
    told = b"\x80" + bytes(9) + b"\x02\xbc"
    path = write(tmp_path / "a.tar", header(b"a.t", told), b"x" * 700, bytes(324))
    assert read(open_archives([path], ["t"], index_paths=[indexed(path)])) == [(b"x" * 700,)]


def test_numbers_of_arguments_must_fit(tmp_path):
    with pytest.raises(ArgumentError, match="1 paths and 2 index_paths"):
        open_archives(["a"], ["t"], index_paths=["b", "c"])
    with pytest.raises(ArgumentError, match="1 dtypes for 2 outputs"):
        open_archives(["a"], ["t", "u"], dtypes=[np.uint8])
    with pytest.raises(ArgumentError, match="cannot be taken for BOOL"):
        open_archives(["a"], ["t"], dtypes=[np.bool_])
    with pytest.raises(ArgumentError, match="'empty', 'skip' or 'error', but is 'drop'"):
        WebDataset(paths="a", ext="t", missing_component_behavior="drop")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*ends without")
def test_flipped_bits_give_errors_or_samples(tmp_path):
    files = {f"{i}.{ext}": bytes(10 * i + 1) for i in range(4) for ext in ("t", "u")}
    path = tmp_path / "bad.tar"
    index = indexed(save(path, files))
    pristine = np.frombuffer(archive(files), np.uint8)
    outcomes = Counter()
    for seed in range(600):
        random = np.random.default_rng(seed)
        damaged = pristine.copy()
        damaged[random.integers(0, 8000, 2)] ^= np.uint8(1 << random.integers(0, 8))
        damaged.tofile(path)
        try:
            source = open_archives([str(path)], ["t", "u"], index_paths=[index] if seed % 2 else [])
            found = read(source)
            outcomes["read"] += all(len(a) + len(b) < 100 for a, b in found)
        except SourceError as error:
            outcomes["error" if "bad.tar" in str(error) else "error that names no file"] += 1
    assert min(outcomes.values()) > 30
    assert sorted(outcomes) == ["error", "read"]


def test_an_archive_that_shrinks_while_open_raises(tmp_path):
    path = save(tmp_path / "a.tar", {"a.t": bytes(5000), "b.t": bytes(5000)})
    source = open_archives([path], ["t"])
    read(source)
    os.truncate(path, 7000)
    with pytest.raises(SourceError, match=r"a\.tar: .*cut short"):
        source.read(np.array([1]), np.empty)


def test_the_index_is_kept_for_the_next_time(tmp_path):
    path = save(tmp_path / "a.tar", {"a.t": b"1", "b.t": b"2"})
    first = read(open_archives([path], ["t"]))
    assert kept_index(path).exists()
    again = open_archives([path], ["t"])
    assert read(again) == first
    assert "sample 1 'b', offset 1536" in again.where(1)


def test_a_single_read_serves_neighbouring_components(tmp_path):
    parts = [pax({b"path": b"0.t"}), entry(b"x", b"1"), entry(b"0.u", b"2"), entry(b"1.t", b"3")]
    source = open_archives([write(tmp_path / "a.tar", *parts)], ["t", "u"])
    requests = []

    def allocate(shape, dtype):
        requests.append(shape)
        return np.empty(shape, dtype)

    columns = source.read(np.array([1, 0]), allocate)
    assert len(requests) == 1
    text = [np.frombuffer(letter, np.uint8) for letter in (b"3", b"1", b"", b"2")]
    assert_columns(columns, [(text[0], text[2]), (text[1], text[3])])


def test_a_size_that_a_pax_header_alone_tells(tmp_path):
    sized = pax({b"size": b"3"}) + header(b"a.t", 9) + b"abc".ljust(512, b"\0")
    path = tmp_path / "a.tar"
    path.write_bytes(sized + entry(b"b.t", b"12345") + sized + CLOSING)
    for _ in range(2):
        source = open_archives([str(path)], ["t"])
        assert read(source) == [(b"abc",), (b"12345",), (b"abc",)]
        assert read(source) == [(b"abc",), (b"12345",), (b"abc",)]
    assert kept_index(path).exists()
