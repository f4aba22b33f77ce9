"""The same promises over HTTP and over S3, with servers that fail in every way we know."""

import pickle
import threading
import traceback

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError, PipelineStopped, SourceError
from penstock.readers.interrupt import Interrupt
from penstock.readers.remote.objects import PART, start_whole
from penstock.readers.source import UnavailableError
from penstock.readers.storage.opening import open_storage, open_storages

CONTENT = np.random.default_rng(2).bytes(2 * PART + 1000)
# A stall is far longer than an answer takes on a busy machine.
QUICK = {"limits": {"attempts": 4, "stall_seconds": 2, "total_seconds": 30}}


class Served:
    """One object on one kind of server."""

    def __init__(self, url, options, front, replace):
        self.url, self.options, self.front, self.replace = url, options, front, replace

    def open(self, **limits):
        return open_storage(self.url, self.options | {"limits": QUICK["limits"] | limits})


@pytest.fixture(params=["http", "s3"])
def served(request):
    if request.param == "http":
        web = request.getfixturevalue("web")

        def replace(content):
            web.objects["data"] = content
            web.tags["data"] = f'"{hash(content)}"'

        replace(CONTENT)
        return Served(f"{web.url}/data", {}, web, replace)
    s3 = request.getfixturevalue("s3")
    url = s3.put("folder/data", CONTENT)
    return Served(url, s3.options, s3.front, lambda content: s3.put("folder/data", content))


def read(storage, *pairs):
    offsets, lengths = np.array(pairs, np.int64).reshape(-1, 2).T
    return [view.tobytes() for view in storage.read(offsets, lengths, np.empty)]


def test_a_small_object_comes_with_its_version(served):
    served.replace(CONTENT[:1024])
    storage = served.open()
    assert read(storage, (0, 1024), (5, 7)) == [CONTENT[:1024], CONTENT[5:12]]
    assert len(served.front.requests) == 1


def test_reads_in_the_order_asked_and_large_ranges_in_parts(served):
    storage = served.open()
    assert (storage.size, storage.name, storage.path) == (len(CONTENT), served.url, None)
    pairs = [(len(CONTENT) - 5, 5), (7, 10), (9, 0), (3, PART + 2000), (7, 10)]
    assert read(storage, *pairs) == [CONTENT[at : at + size] for at, size in pairs]
    ranges = sorted(wanted for _, wanted in served.front.requests[1:])
    size = len(CONTENT)
    assert ranges == sorted(
        [
            f"bytes=3-{PART + 2}",
            f"bytes={PART + 3}-{PART + 2002}",
            f"bytes={size - 5}-{size - 1}",
        ]
    )


def test_ranges_near_each_other_take_one_request(served):
    storage = served.open()
    assert read(storage, (0, 5), (storage.gap, 5)) == [CONTENT[:5], CONTENT[storage.gap :][:5]]
    assert len(served.front.requests) == 2


def test_requests_run_side_by_side_but_not_too_many(served):
    storage = served.open(at_once=5, stall_seconds=10)
    served.front.most_at_once, served.front.latency = 0, 0.1
    try:
        read(storage, *((i * 2 * storage.gap, 3) for i in range(15)))
    finally:
        served.front.latency = 0
    assert 2 <= served.front.most_at_once <= 5


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["500", "503", "429", "drop", "cut", "stall", "mute"])
def test_a_fault_that_passes_costs_an_attempt(served, fault):
    storage = served.open(stall_seconds=1)
    served.front.faults.extend(["", fault, fault])
    expected = [CONTENT[:9], CONTENT[PART : PART + 70_000]]
    assert read(storage, (0, 9), (PART, 70_000)) == expected
    assert len(served.front.requests) >= 1 + 2 + 2


@pytest.mark.parametrize("fault", ["short", "shift"])
def test_a_reply_to_another_question_is_not_taken(web, fault):
    web.objects["data"] = CONTENT
    storage = open_storage(f"{web.url}/data", QUICK)
    web.faults.append(fault)
    assert read(storage, (5, 100)) == [CONTENT[5:105]]
    assert len(web.requests) == 3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("503", "status 503"),
        ("drop", "connection failed"),
        ("cut", "connection failed|bytes came"),
        ("stall", "no byte came for 1 s"),
    ],
)
def test_attempts_are_bounded_and_the_error_says_what_when_and_why(served, fault, reason):
    storage = served.open(attempts=2, stall_seconds=1)
    served.front.always = fault
    with pytest.raises(
        UnavailableError,
        match=rf"data, bytes 100 to 1099: given up after 2 attempts in .*({reason})",
    ):
        read(storage, (100, 1000))
    served.front.always = ""
    assert read(storage, (5, 3)) == [CONTENT[5:8]]


@pytest.mark.slow
def test_the_time_of_all_attempts_is_bounded(served):
    # So many seconds that a busy machine opens the object in them, too.
    storage = served.open(attempts=1000, stall_seconds=100, total_seconds=4)
    served.front.always = "stall"
    with pytest.raises(
        UnavailableError, match=r"given up after 1 attempts in \d+\.\d s.* within 4 s"
    ):
        read(storage, (0, 1000))


def test_an_object_that_changes_while_open_is_noticed(served):
    storage = served.open()
    stamp = storage.stamp
    served.replace(CONTENT[::-1])
    with pytest.raises(SourceError, match=r"data has changed since it was opened: it was .* open"):
        read(storage, (0, 5))
    assert served.open().stamp != stamp
    served.replace(CONTENT[:1000])
    with pytest.raises(SourceError, match=r"changed since"):
        read(storage, (5000, 5))


def test_an_object_that_vanishes_is_named(web):
    web.objects["data"] = CONTENT
    storage = open_storage(f"{web.url}/data", QUICK)
    del web.objects["data"]
    with pytest.raises(FileNotFoundError, match=r"/data"):
        read(storage, (0, 5))
    with pytest.raises(FileNotFoundError, match=r"/data"):
        open_storage(f"{web.url}/data", QUICK)


@pytest.mark.parametrize("status", ["401", "403"])
def test_a_refusal_is_final(served, status):
    served.front.always = status
    with pytest.raises(
        PermissionError, match=rf"refuses access .status {status}.*storage_options.*data"
    ):
        served.open()
    assert len(served.front.requests) == 1


def test_an_unknown_status_is_final(served):
    storage = served.open()
    served.front.always = "418"
    with pytest.raises(SourceError, match=r"data: the server answered with status 418"):
        read(storage, (0, 5))
    assert len(served.front.requests) == 2


def test_a_server_without_ranges_gives_whole_objects_only(web):
    web.objects["data"] = CONTENT
    web.ranges = False
    storage = open_storage(f"{web.url}/data", QUICK)
    assert storage.size == len(CONTENT)
    with pytest.raises(SourceError, match=r"/data: the server ignores .* \(no Range support\)"):
        read(storage, (0, 5))
    assert start_whole(f"{web.url}/data", QUICK, np.empty).result().tobytes() == CONTENT
    web.lengths = False
    with pytest.raises(SourceError, match=r"neither serves ranges nor tells the object's size"):
        open_storage(f"{web.url}/data", QUICK)


@pytest.mark.parametrize("size", [0, 1, PART - 1, PART, PART + 1, len(CONTENT)])
def test_whole_objects(served, size):
    served.replace(CONTENT[:size])
    served.front.faults.extend(["drop", "", "cut"])
    content = start_whole(served.url, served.options | QUICK, np.empty).result()
    assert content.dtype == np.uint8
    assert content.tobytes() == CONTENT[:size]


def test_an_empty_object(served):
    served.replace(b"")
    storage = served.open()
    assert storage.size == 0
    assert read(storage, (0, 0)) == [b""]


@pytest.mark.parametrize("size", [0, 3, 500, len(CONTENT)])
def test_the_last_bytes_come_with_the_version(served, size):
    served.replace(CONTENT[:size])
    (storage,) = open_storages([served.url], served.options | QUICK, tail=500)
    served.front.requests.clear()
    assert storage.size == size
    end = max(0, size - 500)
    assert read(storage, (end, size - end)) == [CONTENT[end:size]]
    assert not served.front.requests
    storage.close()
    assert read(storage, (end, size - end)) == [CONTENT[end:size]]


def test_a_server_without_ranges_sends_no_last_bytes(web):
    web.objects["data"] = CONTENT
    web.ranges = False
    (storage,) = open_storages([f"{web.url}/data"], QUICK, tail=500)
    assert storage.size == len(CONTENT)
    assert not storage.fill_cached(len(CONTENT) - 4, np.empty(4, np.uint8))


def test_a_weak_tag_is_compared_and_not_asked_for(web):
    web.objects["data"], web.tags["data"] = CONTENT, 'W/"1"'
    storage = open_storage(f"{web.url}/data", QUICK)
    assert read(storage, (5, 3)) == [CONTENT[5:8]]
    web.tags["data"] = 'W/"2"'
    with pytest.raises(SourceError, match=r'was .*W/"1", now it is .*W/"2"'):
        read(storage, (5, 3))


def test_a_stamp_needs_something_that_tells_versions_apart(web):
    web.objects["data"] = CONTENT
    assert open_storage(f"{web.url}/data").stamp == ""
    web.tags["data"] = '"5"'
    assert open_storage(f"{web.url}/data").stamp == f'{len(CONTENT)}:"5"'


def test_many_objects_are_opened_together(web):
    web.objects |= {f"{i}": bytes(i) for i in range(20)}
    web.latency = 0.1
    storages = open_storages([f"{web.url}/{i}" for i in range(20)])
    assert [storage.size for storage in storages] == list(range(20))
    assert web.most_at_once > 2


def test_a_pickled_copy_and_a_closed_storage_read_on(served):
    storage = served.open()
    read(storage, (0, 1))
    copy = pickle.loads(pickle.dumps(storage))
    storage.close()
    assert read(copy, (5, 5)) == read(storage, (5, 5)) == [CONTENT[5:10]]


def test_a_range_outside_raises_before_a_request_is_made(served):
    storage = served.open()
    with pytest.raises(SourceError, match=r"5 bytes at offset"):
        read(storage, (len(CONTENT) - 4, 5))
    assert len(served.front.requests) == 1


def test_a_wait_can_be_ended_from_another_thread(served):
    storage = served.open(stall_seconds=100, total_seconds=100)
    served.front.always = "stall"
    interrupt = Interrupt()
    threading.Timer(0.2, interrupt.set).start()
    with interrupt, pytest.raises(PipelineStopped, match=r"while remote data were read"):
        read(storage, (0, 1000))
    with interrupt, pytest.raises(PipelineStopped):
        read(storage, (0, 1000))


def test_other_file_systems_are_read_through_cat_file(tmp_path):
    import fsspec

    memory = fsspec.filesystem("memory")
    memory.pipe("/penstock-test/data", CONTENT)
    storage = open_storage("memory://penstock-test/data")
    assert (storage.size, storage.name) == (len(CONTENT), "memory://penstock-test/data")
    assert storage.stamp
    assert read(storage, (9, 4), (PART, 10)) == [CONTENT[9:13], CONTENT[PART : PART + 10]]
    shrunk = open_storage("memory://penstock-test/data", QUICK)
    memory.pipe("/penstock-test/data", CONTENT[:50])
    with pytest.raises(UnavailableError, match=r"5 bytes came instead of 10"):
        read(shrunk, (45, 10))
    with pytest.raises(FileNotFoundError):
        open_storage("memory://penstock-test/nothing")
    with pytest.raises(IsADirectoryError, match=r"memory://penstock-test"):
        open_storage("memory://penstock-test")


def test_passwords_stay_out_of_messages(web):
    web.always = "404"
    url = web.url.replace("http://", "http://user:secret@") + "/data"
    with pytest.raises(FileNotFoundError) as caught:
        open_storage(url)
    assert "secret" not in str(caught.value)
    assert "***@127.0.0.1" in str(caught.value)


@pytest.mark.parametrize("fault", ["404", "403", "418", "503", "drop", "loop", "stall"])
def test_signatures_stay_out_of_messages(web, fault):
    web.always = fault
    url = web.url.replace("http://", "http://user:secret@") + "/data?id=5&sig=secret&jwt=secret"
    with pytest.raises(OSError, match="id=5&sig=") as caught:
        open_storage(url, {"limits": {"attempts": 1, "stall_seconds": 1}})
    assert "secret" not in "".join(traceback.format_exception(caught.value))


def test_a_circle_of_redirects_is_named(web):
    web.always = "loop"
    with pytest.raises(SourceError, match=r"/data: gave up after \d+ redirects; the server sends"):
        open_storage(f"{web.url}/data", QUICK)


@pytest.mark.parametrize(
    "options",
    [
        {"limits": {"attempts": 0}},
        {"limits": {"at_once": 1000}},
        {"limits": {"patience": 1}},
        {"limits": 5},
    ],
)
def test_wrong_limits(web, options):
    with pytest.raises(ArgumentError, match=r"storage_options"):
        open_storage(f"{web.url}/data", options)
