import os
import resource
import tarfile

import pytest

from penstock import Pipeline, fn, tfrecord
from penstock.engine.errors import SourceError
from penstock.engine.machine import memory_of_machine
from penstock.readers.storage.claims import check_claim

OPTIONS = {"limits": {"attempts": 2, "stall_seconds": 3, "total_seconds": 10}}
TEXT = tfrecord.FixedLenFeature((), tfrecord.string, "")
READERS = {
    "a.jpg": lambda path, **rest: fn.readers.file(files=[path], **rest)[0],
    "a.npy": lambda path, **rest: fn.readers.numpy(files=[path], **rest),
    "a.tar": lambda path, **rest: fn.readers.webdataset(paths=[path], ext=["jpg"], **rest),
    "a.tfrecord": lambda path, **rest: fn.readers.tfrecord(
        path=[path], features={"x": TEXT}, **rest
    )["x"],
    "a.rec": lambda path, **rest: fn.readers.mxnet(path=[path], **rest)[0],
    "a.parquet": lambda path, **rest: fn.readers.parquet(path=[path], columns=["x"], **rest),
    "index.json": lambda path, **rest: fn.readers.mds(path=[path], columns=["x"], **rest),
    "a.mp4": lambda path, **rest: fn.readers.video(filenames=[path], sequence_length=2, **rest),
}


def run(reader, on_error="raise", **arguments):
    with Pipeline(batch_size=1, num_threads=1, on_error=on_error) as pipe:
        pipe.set_outputs(reader(**arguments))
        return pipe.run()[0]


def test_a_claim_above_the_machine_s_memory_is_refused():
    check_claim("a", memory_of_machine())
    with pytest.raises(SourceError, match=r"^a: \d+ bytes .* but this machine has \d+ bytes"):
        check_claim("a", memory_of_machine() + 1)


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("claim", [1 << 40, 1 << 62])
@pytest.mark.parametrize("ranges", [True, False], ids=["ranges", "whole"])
def test_a_server_that_claims_any_size(web, name, claim, ranges):
    web.objects[name] = bytes(1000)
    web.claims[name], web.ranges = claim, ranges
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises((SourceError, OSError), match=name):
        run(READERS[name], path=f"{web.url}/{name}", storage_options=OPTIONS)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200 << 10  # KiB


def test_a_claim_is_a_bad_sample(web):
    web.objects |= {"a.jpg": b"good", "b.jpg": b"bad"}
    web.claims["b.jpg"] = 1 << 62
    files = [f"{web.url}/a.jpg", f"{web.url}/b.jpg"]
    with Pipeline(batch_size=2, num_threads=1, on_error="replace") as pipe:
        pipe.set_outputs(fn.readers.file(files=files, storage_options=OPTIONS)[0])
        (contents,) = pipe.run()
    assert contents.valid.tolist() == [True, False]
    assert contents.at(0).tobytes() == b"good"


def sparse(path, beginning=b""):
    """Make a file that claims 8 TiB behind its beginning, and takes nothing of the disk."""
    path.write_bytes(beginning)
    os.truncate(path, len(beginning) + (1 << 43) + 1024)
    return str(path)


def test_a_sparse_file_is_a_bad_sample(tmp_path):
    (tmp_path / "a.jpg").write_bytes(b"good")
    files = [str(tmp_path / "a.jpg"), sparse(tmp_path / "b.jpg")]
    with pytest.raises(SourceError, match=r"b\.jpg: 8796093023232 bytes would have to be read"):
        run(READERS["a.jpg"], path=files[1])
    with Pipeline(batch_size=2, num_threads=1, on_error="replace") as pipe:
        pipe.set_outputs(fn.readers.file(files=files)[0])
        (contents,) = pipe.run()
    assert contents.valid.tolist() == [True, False]


def test_a_member_of_a_sparse_archive(tmp_path):
    member = tarfile.TarInfo("a.jpg")
    member.size = 1 << 43
    path = sparse(tmp_path / "a.tar", member.tobuf(tarfile.GNU_FORMAT))
    with pytest.raises(SourceError, match=r"a\.tar.* bytes would have to be read"):
        run(READERS["a.tar"], path=path)


def test_the_index_of_an_archive(tmp_path):
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        archive.addfile(tarfile.TarInfo("a.jpg"))
    with pytest.raises(SourceError, match=r"a\.idx: 8796093023232 bytes would have to be read"):
        run(
            READERS["a.tar"],
            path=str(tmp_path / "a.tar"),
            index_paths=[sparse(tmp_path / "a.idx")],
        )
