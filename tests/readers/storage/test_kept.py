"""Remote objects that are kept in memory: room, threads, faults, copies."""

import pickle
import threading

import numpy as np
import pytest

from penstock.engine.errors import SourceError
from penstock.readers.storage import kept
from penstock.readers.storage.kept import KeptObject, Room
from penstock.readers.storage.opening import open_storage

CONTENT = np.random.default_rng(0).bytes(300_000)


@pytest.fixture
def opened(web):
    web.objects["a"] = CONTENT
    storage = open_storage(f"{web.url}/a", {"limits": {"attempts": 1}})
    web.requests.clear()
    return storage


def read(storage, offset=100, length=50):
    (content,) = storage.read(np.array([offset]), np.array([length]), np.empty)
    return content.tobytes()


def test_a_walk_fetches_the_object_once(web, opened):
    storage = KeptObject(opened, Room(until_read=True))
    assert storage.gap == opened.gap
    walk = storage.sequential()
    assert [read(walk, offset) for offset in (0, 1000)] == [CONTENT[:50], CONTENT[1000:1050]]
    threads = [threading.Thread(target=read, args=(storage, n)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(web.requests) == 1
    assert storage.gap < opened.gap
    storage.drop()
    assert read(storage) == CONTENT[100:150]
    assert web.requests[1:] == [("a", "bytes=100-149")]


def test_the_room_is_given_back(opened, tuned):
    tuned(kept, WALKED_BYTES=len(CONTENT) + 10)
    room = Room(until_read=True)
    first, second = KeptObject(opened, room), KeptObject(opened, room)
    assert first.begin()
    assert first.begin()
    assert not second.begin()
    first.drop()
    first.drop()
    assert second.begin()
    assert not first.begin()
    second.close()


def test_a_fault_reaches_all_who_wait_and_the_next_walk_begins_anew(web, opened):
    room = Room(until_read=True)
    storage = KeptObject(opened, room)
    web.faults.append("404")
    assert storage.begin()
    errors = []

    def wait():
        try:
            read(storage)
        except OSError as error:
            errors.append(error)

    threads = [threading.Thread(target=wait) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(isinstance(error, FileNotFoundError | SourceError) for error in errors)
    assert errors
    assert storage.begin()
    assert read(storage) == CONTENT[100:150]


def test_a_copy_has_no_bytes(web, opened):
    storage = KeptObject(opened, Room(until_read=False))
    storage.begin()
    copy = pickle.loads(pickle.dumps(storage))
    assert copy.gap == opened.gap
    assert read(copy) == CONTENT[100:150]
    assert len(pickle.dumps(storage)) < 2000
