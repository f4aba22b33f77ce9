import errno
import os
import resource
import threading

import pytest

from penstock.readers.storage import descriptors
from penstock.readers.storage.descriptors import shared_file
from penstock.testing.descriptors import open_below


@pytest.fixture
def files(tmp_path):
    """Return a function that makes a file which holds its own number."""

    def make(number):
        path = tmp_path / str(number)
        path.write_bytes(b"%d" % number)
        return shared_file(str(path), "")

    return make


def content_of(file):
    return os.pread(file.opened().number, 9, 0)


def test_many_files_leave_a_bounded_number_open(files, tmp_path):
    held = [files(number) for number in range(400)]
    assert [content_of(file) for file in held] == [b"%d" % number for number in range(400)]
    assert 128 < len(open_below(tmp_path)) <= 256
    assert content_of(held[0]) == b"0"
    del held
    assert open_below(tmp_path) == []


def test_the_least_used_files_are_closed(files, tmp_path, tuned):
    tuned(descriptors, MAX_OPEN=4)
    held = [files(number) for number in range(4)]
    numbers = [file.opened().number for file in held]
    held[0].opened()
    last = files(4)
    last.opened()
    assert held[0].opened().number == numbers[0]
    assert str(tmp_path / "1") not in open_below(tmp_path)


def test_a_low_limit_of_the_process_leaves_descriptors_to_others(files, tmp_path, monkeypatch):
    monkeypatch.setattr(resource, "getrlimit", lambda _: (40, 40))
    held = [files(number) for number in range(50)]
    assert [content_of(file) for file in held] == [b"%d" % number for number in range(50)]
    assert len(open_below(tmp_path)) <= 20
    monkeypatch.setattr(resource, "getrlimit", lambda _: (resource.RLIM_INFINITY,) * 2)
    assert [content_of(file) for file in held] == [b"%d" % number for number in range(50)]
    assert len(open_below(tmp_path)) == 50


@pytest.fixture
def no_descriptor_left():
    """Return a function that takes from the process all descriptors that it does not use yet."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)

    def lower():
        highest = os.dup(0)
        os.close(highest)
        resource.setrlimit(resource.RLIMIT_NOFILE, (highest, before[1]))

    yield lower
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_a_process_without_descriptors_closes_files_and_tries_again(files, no_descriptor_left):
    held = [files(number) for number in range(9)]
    for file in held[:8]:
        file.opened()
    no_descriptor_left()
    assert content_of(held[8]) == b"8"
    assert content_of(held[0]) == b"0"


def test_a_process_whose_descriptors_others_hold_is_told_its_limit(files, no_descriptor_left):
    file = files(3)
    no_descriptor_left()
    with pytest.raises(OSError, match=r"Too many open files: .*/3'") as caught:
        file.opened()
    assert caught.value.errno == errno.EMFILE
    assert "ulimit -n" in caught.value.__notes__[0]


def test_a_file_stays_open_while_it_is_read(files, tmp_path):
    file = files(7)
    held = file.opened()
    file.release()
    file.release()
    assert os.pread(held.number, 9, 0) == b"7"
    del held
    assert open_below(tmp_path) == []


def test_storages_of_one_file_share_its_descriptor(files):
    first, second = files(2), files(2)
    assert first is second
    assert first.opened() is second.opened()


def test_threads_that_open_and_close_never_read_another_file(tmp_path):
    paths = [str(tmp_path / str(number)) for number in range(3)]
    for path in paths:
        with open(path, "w") as file:
            file.write(path)
    wrong = []

    def work(seed):
        for step in range(300):
            path = paths[(seed + step) % 3]
            opened = shared_file(path, "").opened()
            shared_file(paths[step % 3], "").release()
            content = os.pread(opened.number, 4096, 0).decode()
            wrong.extend([content] if content != path else [])

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
