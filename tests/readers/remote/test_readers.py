"""Pipelines that read from HTTP and S3 give what they give from files, whatever goes wrong."""

import threading
import time
import warnings

import numpy as np
import pytest

from penstock import fn, pipeline_def, tfrecord
from penstock.engine.errors import ArgumentError, PipelineStopped, SourceError
from penstock.readers.source import UnavailableError

from ...engine.toys import own_threads
from ..processes import assert_soon
from ..record_io import image_record, record_file
from ..tars import archive
from ..tfrecord_files import example, write_index, write_records

pytestmark = pytest.mark.usefixtures("user_cache")

QUICK = {"attempts": 3, "stall_seconds": 4, "total_seconds": 30}


class Store:
    """Where files are put to be read remotely."""

    def __init__(self, root, options, front, put):
        self.root, self.front, self.put = root, front, put
        self.options = options | {"limits": QUICK}

    def put_all(self, folder):
        for path in folder.iterdir():
            if path.is_file():
                self.put(path.name, path.read_bytes())


@pytest.fixture(params=["http", "s3"])
def store(request):
    if request.param == "http":
        web = request.getfixturevalue("web")

        def put(name, content):
            web.objects[name] = content
            web.tags[name] = f'"{hash(content)}"'

        return Store(web.url, {}, web, put)
    s3 = request.getfixturevalue("s3")
    return Store(
        "s3://bucket/readers", s3.options, s3.front, lambda n, c: s3.put(f"readers/{n}", c)
    )


def make(reader, batch_size=4, **options):
    @pipeline_def(batch_size=batch_size, num_threads=1, **options)
    def pipeline():
        found = reader()
        return tuple(found.values()) if isinstance(found, dict) else found

    return pipeline()


def outputs(reader, batches=3, **options):
    with make(reader, **options) as pipe:
        return [
            [np.asarray(sample).tolist() for output in pipe.run() for sample in output]
            for _ in range(batches)
        ]


def run_all(pipe):
    for _ in range(10):
        pipe.run()


def files_of_tfrecord(folder):
    for name in ("a", "b"):
        records = [example({"n": [i, i]}) for i in range(5)]
        write_index(folder / f"{name}.idx", write_records(folder / name, records))
    features = {"n": tfrecord.FixedLenFeature([2], tfrecord.int64)}

    def reader(root, indexed, **arguments):
        paths = [f"{root}/a", f"{root}/b"]
        index = [f"{path}.idx" for path in paths] if indexed else None
        return fn.readers.tfrecord(
            path=paths, index_path=index, features=features, verify_crc="never", **arguments
        )

    return reader


def files_of_mxnet(folder):
    for name in ("a", "b"):
        data, index = record_file([image_record(name.encode() * i, i, i) for i in range(1, 6)])
        (folder / f"{name}.rec").write_bytes(data)
        (folder / f"{name}.idx").write_bytes(index)

    def reader(root, indexed, **arguments):
        index = [f"{root}/{name}.idx" for name in "ab"] if indexed else None
        paths = [f"{root}/{name}.rec" for name in "ab"]
        return fn.readers.mxnet(path=paths, index_path=index, **arguments)

    return reader


def files_of_webdataset(folder):
    from penstock.readers.webdataset.dali_index import write_dali_index

    for name in ("a", "b"):
        files = {f"{i}.txt": name.encode() * i for i in range(1, 6)}
        (folder / f"{name}.tar").write_bytes(archive(files))
        write_dali_index(folder / f"{name}.tar", folder / f"{name}.idx")

    def reader(root, indexed, **arguments):
        index = [f"{root}/{name}.idx" for name in "ab"] if indexed else None
        paths = [f"{root}/{name}.tar" for name in "ab"]
        return fn.readers.webdataset(paths=paths, ext="txt", index_paths=index, **arguments)

    return reader


def files_of_lmdb(folder):
    import lmdb

    for name in ("a", "b"):
        with (
            lmdb.open(str(folder / name), subdir=False, lock=False) as environment,
            environment.begin(write=True) as transaction,
        ):
            for i in range(5):
                transaction.put(b"%d" % i, name.encode() * i * 3000)

    def reader(root, indexed, **arguments):
        return fn.readers.lmdb(path=[f"{root}/a", f"{root}/b"], **arguments)

    return reader


FORMATS = [files_of_tfrecord, files_of_mxnet, files_of_webdataset, files_of_lmdb]


@pytest.mark.parametrize("indexed", [False, True])
@pytest.mark.parametrize("files_of", FORMATS)
def test_record_formats(store, tmp_path, user_cache, files_of, indexed):
    (tmp_path / "data").mkdir()
    reader = files_of(tmp_path / "data")
    store.put_all(tmp_path / "data")
    shuffled = {"random_shuffle": True, "shuffle_seed": 3}
    expected = outputs(lambda: reader(tmp_path / "data", indexed, **shuffled))
    shuffled["storage_options"] = store.options
    assert outputs(lambda: reader(store.root, indexed, **shuffled)) == expected
    if files_of is not files_of_lmdb:  # its own tree serves as the index
        kept = len(list(user_cache.glob("*"))) if user_cache.exists() else 0
        assert kept == (0 if indexed else 4)  # indexes of two files, here and in the store
    assert outputs(lambda: reader(store.root, indexed, **shuffled)) == expected


def test_files(store):
    contents = {f"{i}.bin": bytes([i]) * i * 1000 for i in range(9)}
    for name, content in contents.items():
        store.put(name, content)
    urls = [f"{store.root}/{name}" for name in contents]
    # The third reply and those after it fail in turn.
    store.front.faults.extend(["", "", "503", "cut", "", "drop", "", "500"])
    found = outputs(lambda: fn.readers.file(files=urls, storage_options=store.options), batches=2)
    samples = [*found[0][:4], *found[1][:4]]
    assert samples == [list(content) for content in contents.values()][:8]


@pytest.mark.parametrize("depth", [None, 0, 1, 7])
def test_the_depth_changes_nothing(web, tmp_path, depth):
    reader = files_of_mxnet(tmp_path)
    web.objects |= {path.name: path.read_bytes() for path in tmp_path.glob("*.*")}
    shuffled = {"random_shuffle": True, "prefetch_queue_depth": depth}
    local = outputs(lambda: reader(tmp_path, True, random_shuffle=True), batches=8)
    assert outputs(lambda: reader(web.url, True, **shuffled), batches=8) == local


def test_batches_are_read_ahead(web):
    web.objects |= {f"{i}": bytes(10) for i in range(100)}
    urls = [f"{web.url}/{i}" for i in range(100)]

    def requested():
        return {int(path) for path, _ in list(web.requests)}

    with make(lambda: fn.readers.file(files=urls), prefetch_queue_depth=1) as pipe:
        pipe.run()
        pipe.run()
        # Two batches taken, at most one begun, and four ahead of it.
        assert_soon(lambda: requested() >= set(range(24)))
    assert requested() <= set(range(28))
    assert len(web.requests) == len(requested())


def test_one_bad_object_is_skipped(web):
    web.objects |= {f"{i}": bytes([i]) for i in range(8)}
    urls = [f"{web.url}/{i}" for i in range(8)]
    del web.objects["2"]
    reader = lambda: fn.readers.file(files=urls)  # noqa: E731
    with make(reader) as pipe, pytest.raises(FileNotFoundError, match="/2'"):
        pipe.run()
    found = outputs(reader, batches=1, on_error="skip")
    assert [found[0][i] for i in (0, 1, 3)] == [[0], [1], [3]]


def test_a_service_that_is_down_ends_the_run_soon(web):
    web.objects |= {f"{i}": bytes([i]) for i in range(40)}
    urls = [f"{web.url}/{i}" for i in range(40)]
    reader = lambda: fn.readers.file(files=urls, storage_options={"limits": QUICK})  # noqa: E731
    with make(reader, batch_size=20, on_error="skip") as pipe:
        pipe.run()
        web.always = "503"
        with pytest.raises(UnavailableError, match="given up after 3 attempts"):
            run_all(pipe)


def test_closing_does_not_wait_for_a_server(web):
    web.objects["a"] = bytes(100)
    before = set(own_threads())
    pipe = make(lambda: fn.readers.file(files=[f"{web.url}/a"]), batch_size=1)
    pipe.build()
    web.always = "mute"
    failed = []

    def consume():
        try:
            pipe.run()
        except PipelineStopped as error:
            failed.append(error)

    consumer = threading.Thread(target=consume)
    consumer.start()
    while not web.requests:
        time.sleep(0.01)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pipe.close()
    consumer.join()
    assert failed
    assert set(own_threads()) <= before


def test_an_index_is_cached_for_one_version_of_an_object(store, tmp_path, user_cache):
    def put(count):
        data, _ = record_file([image_record(b"x" * i, i, i) for i in range(1, count)])
        store.put("data.rec", data)

    def labels():
        found = outputs(
            lambda: fn.readers.mxnet(path=f"{store.root}/data.rec", storage_options=store.options),
            batches=1,
        )
        return found[0][4:]

    def states():
        return {path: path.stat().st_mtime_ns for path in user_cache.iterdir()}

    put(6)
    assert labels() == [[1], [2], [3], [4]]
    first = states()
    assert len(first) == 1
    assert labels() == [[1], [2], [3], [4]]
    assert states() == first
    put(3)
    assert labels() == [[1], [2], [1], [2]]
    assert states() != first


def test_what_cannot_be_kept_is_not_unpacked(web, tmp_path):
    import gzip

    write_records(tmp_path / "a", [example({"n": [1]})])
    web.objects["a.gz"] = gzip.compress((tmp_path / "a").read_bytes())
    features = {"n": tfrecord.FixedLenFeature([1], tfrecord.int64)}

    def reader():
        return fn.readers.tfrecord(path=f"{web.url}/a.gz", features=features, verify_crc="never")

    with pytest.raises(SourceError, match="neither an ETag nor a time"):
        outputs(reader)
    web.tags["a.gz"] = '"1"'
    assert outputs(reader, batches=1) == [[[1]] * 4]


def test_wrong_arguments():
    with pytest.raises(ArgumentError, match="storage_options"):
        make(lambda: fn.readers.file(files="s3://a/b", storage_options=5)).build()
    with pytest.raises(ArgumentError, match="prefetch_queue_depth=-1"):
        make(lambda: fn.readers.file(files="s3://a/b", prefetch_queue_depth=-1)).build()


@pytest.mark.slow
def test_sequences_of_frames(store, photo_tree, tmp_path):
    frame = photo_tree.files[0].read_bytes()
    (tmp_path / "stream").mkdir()
    for number in range(3):
        (tmp_path / "stream" / f"{number}.jpg").write_bytes(frame)
        store.put(f"frames/stream/{number}.jpg", frame)

    def reader(root, **arguments):
        return fn.readers.sequence(file_root=root, sequence_length=2, **arguments)

    local = outputs(lambda: reader(tmp_path), batches=1)
    root = f"{store.root}/frames"
    assert outputs(lambda: reader(root, storage_options=store.options), batches=1) == local
