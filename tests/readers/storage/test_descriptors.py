import os
import threading

import pytest

from penstock.readers.storage import descriptors


def open_count():
    return len(os.listdir("/proc/self/fd"))


def test_many_files_leave_a_bounded_number_open(tmp_path):
    before = open_count()
    for number in range(400):
        path = tmp_path / str(number)
        path.write_bytes(b"%d" % number)
        assert os.pread(descriptors.descriptor(str(path), "").number, 9, 0) == b"%d" % number
    assert open_count() - before <= 256
    for number in range(400):
        descriptors.forget(str(tmp_path / str(number)), "")
    assert open_count() <= before


def test_a_file_stays_open_while_it_is_read(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"content")
    held = descriptors.descriptor(str(path), "")
    descriptors.forget(str(path), "")
    descriptors.forget(str(path), "")
    assert os.pread(held.number, 9, 0) == b"content"
    number = held.number
    del held
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(number)


def test_threads_that_open_and_close_never_read_another_file(tmp_path):
    paths = [str(tmp_path / str(number)) for number in range(3)]
    for path in paths:
        with open(path, "w") as file:
            file.write(path)
    wrong = []

    def work(seed):
        for step in range(300):
            path = paths[(seed + step) % 3]
            opened = descriptors.descriptor(path, "")
            descriptors.forget(paths[step % 3], "")
            content = os.pread(opened.number, 4096, 0).decode()
            wrong.extend([content] if content != path else [])

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
