"""Sources over HTTP and over S3 keep the promises that sources over files keep."""

import numpy as np
import pytest

from penstock.readers.files.source import FileSource
from penstock.readers.listing.listing import list_files
from penstock.readers.storage.opening import open_storages
from penstock.readers.storage.records import RecordFiles
from penstock.testing.readers import SourceConformance, assert_reads

RANDOM = np.random.default_rng(1)
FILES = [RANDOM.bytes(size) for size in (5, 0, 100_000, 1, 70_000)]
SHARDS = [[RANDOM.bytes(size) for size in sizes] for sizes in ([3, 0, 70_000], [9, 400_000, 2])]


class RecordSource:
    """What readers of record formats come down to."""

    def __init__(self, urls, options):
        lengths = [np.array([len(record) for record in shard], np.int64) for shard in SHARDS]
        places = [(np.cumsum(sizes) - sizes, sizes) for sizes in lengths]
        self._files = RecordFiles(open_storages(urls, options), places)
        self.where = self._files.where
        self.close = self._files.close

    def __len__(self):
        return len(self._files)

    def read(self, indices, allocate):
        return (self._files.read(indices, allocate).views(),)


class FilesConformance(SourceConformance):
    @pytest.fixture
    def expected(self):
        return [
            (np.frombuffer(content, np.uint8), np.array([label], np.int32))
            for label, content in enumerate(FILES)
        ]


class RecordsConformance(SourceConformance):
    @pytest.fixture
    def expected(self):
        return [(np.frombuffer(record, np.uint8),) for shard in SHARDS for record in shard]


class TestFilesOverHttp(FilesConformance):
    @pytest.fixture
    def source(self, web):
        web.objects |= {f"{i}.bin": content for i, content in enumerate(FILES)}
        return FileSource(list_files(files=[f"{web.url}/{i}.bin" for i in range(len(FILES))]))


class TestFilesOverS3(FilesConformance):
    @pytest.fixture
    def source(self, s3):
        urls = [s3.put(f"files/{i}.bin", content) for i, content in enumerate(FILES)]
        return FileSource(list_files(files=urls), s3.options)


class TestRecordsOverHttp(RecordsConformance):
    @pytest.fixture
    def source(self, web):
        web.objects |= {f"{i}.rec": b"".join(shard) for i, shard in enumerate(SHARDS)}
        return RecordSource([f"{web.url}/{i}.rec" for i in range(len(SHARDS))], {})


class TestRecordsOverS3(RecordsConformance):
    @pytest.fixture
    def source(self, s3):
        urls = [s3.put(f"{i}.rec", b"".join(shard)) for i, shard in enumerate(SHARDS)]
        return RecordSource(urls, s3.options)


def test_records_of_several_objects_are_fetched_together(web):
    web.objects |= {f"{i}.rec": b"".join(shard) for i, shard in enumerate(SHARDS)}
    source = RecordSource([f"{web.url}/{i}.rec" for i in range(len(SHARDS))], {})
    web.most_at_once, web.latency = 0, 0.2
    source.read(np.array([0, 5]), np.empty)
    assert web.most_at_once == 2


def test_local_and_remote_files_in_one_list(web, tmp_path):
    (tmp_path / "local").write_bytes(b"local")
    web.objects["far"] = b"remote"
    source = FileSource(list_files(files=[f"{web.url}/far", tmp_path / "local"]))
    samples = [
        (np.frombuffer(b"remote", np.uint8), np.array([0], np.int32)),
        (np.frombuffer(b"local", np.uint8), np.array([1], np.int32)),
    ]
    assert_reads(source, np.array([1, 0, 1]), [samples[i] for i in (0, 1)])
