"""Arrays over HTTP: the same as from files, and no more requests than needed."""

import io
import zipfile

import numpy as np
import pytest

from penstock import fn, pipeline_def
from penstock.engine.errors import DecodeError, SourceError
from penstock.readers.npy.region import RegionOfInterest, parse_key
from penstock.readers.npy.source import NumpySource
from penstock.testing.readers import SourceConformance

from ..npy_files import arrays_of
from ..tars import archive

pytestmark = pytest.mark.usefixtures("user_cache")

ARRAYS = [np.random.default_rng(i).random((40, 50, 30)).astype("f4") for i in range(4)]


def saved(array):
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def put(web, arrays=ARRAYS):
    for i, array in enumerate(arrays):
        web.objects[f"{i}.npy"] = saved(array)
        web.tags[f"{i}.npy"] = f'"{i}"'
    return [f"{web.url}/{i}.npy" for i in range(len(arrays))]


def source_of(urls, roi=None, **options):
    key = None if roi is None else parse_key(roi)
    return NumpySource(arrays_of(files=urls), RegionOfInterest(key=key), **options)


class TestWholeArrays(SourceConformance):
    @pytest.fixture
    def source(self, web):
        return source_of(put(web))

    @pytest.fixture
    def expected(self):
        return [(array,) for array in ARRAYS]


class TestRegions(SourceConformance):
    @pytest.fixture
    def source(self, web):
        arrays = [np.asfortranarray(a) if i % 2 else a for i, a in enumerate(ARRAYS)]
        return source_of(put(web, arrays), "3:30:2, 5, 2:9", keep_headers=True)

    @pytest.fixture
    def expected(self):
        return [(array[3:30:2, 5, 2:9],) for array in ARRAYS]


class TestArchives(SourceConformance):
    @pytest.fixture
    def source(self, web):
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w") as stored:
            stored.writestr("a.npy", saved(ARRAYS[0]))
            stored.writestr("b.npy", saved(ARRAYS[1]), zipfile.ZIP_DEFLATED)
        web.objects["a.zip"] = stream.getvalue()
        web.objects["b.tar"] = archive({f"{i}.npy": saved(ARRAYS[i]) for i in (2, 3)})
        return source_of([f"{web.url}/a.zip", f"{web.url}/b.tar"], "3:5")

    @pytest.fixture
    def expected(self):
        return [(array[3:5],) for array in ARRAYS]


def test_a_local_file_beside_urls(web, tmp_path):
    np.save(tmp_path / "a.npy", ARRAYS[0])
    source = source_of([*put(web), str(tmp_path / "a.npy")], "1:3")
    (found,) = source.read(np.array([4, 1, 4]), np.empty)
    np.testing.assert_array_equal(found, np.stack([ARRAYS[i][1:3] for i in (0, 1, 0)]))


def test_a_region_costs_one_request_once_the_header_is_known(web):
    source = source_of(put(web), "7:9", keep_headers=True)
    source.read(np.arange(4), np.empty)
    web.requests.clear()
    source.read(np.arange(4), np.empty)
    assert len(web.requests) == 4


@pytest.mark.parametrize("roi", [None, "1:3"])
def test_damaged_objects_are_named(web, roi):
    urls = put(web)
    web.objects["1.npy"] = b"no array"
    with pytest.raises(DecodeError, match=r"/1\.npy: no \.npy file"):
        source_of(urls, roi).read(np.arange(4), np.empty)


def test_an_object_that_changes_is_refused(web):
    urls = put(web)
    source = source_of(urls, "1:3", keep_headers=True)
    source.read(np.arange(4), np.empty)
    web.objects["1.npy"] = saved(ARRAYS[1][:20])
    web.tags["1.npy"] = '"new"'
    with pytest.raises(SourceError, match="has changed since it was opened"):
        source.read(np.arange(4), np.empty)


def test_in_a_pipeline_with_regions_of_samples(web):
    urls = put(web)

    @pipeline_def(batch_size=4, num_threads=1)
    def definition():
        start = fn.random.uniform(range=[0, 20], shape=[3])
        return fn.readers.numpy(
            files=urls, roi_start=fn.cast(start, dtype="int32"), roi_shape=[5, 5, 5]
        ), fn.cast(start, dtype="int32")

    with definition() as pipe:
        for _ in range(3):
            found, start = pipe.run()
            for i in range(4):
                z, y, x = start.at(i).tolist()
                expected = ARRAYS[i][z : z + 5, y : y + 5, x : x + 5]
                np.testing.assert_array_equal(found.at(i), expected)
