import gc
import threading
import weakref

import pytest

from penstock.readers.storage.sharing import share


def test_each_job_is_done_once():
    done = []
    share(done.append, range(1000))
    assert sorted(done) == list(range(1000))
    share(done.append, [])
    assert len(done) == 1000


def test_two_jobs_are_done_at_the_same_time():
    both = threading.Barrier(2)
    share(lambda _: both.wait(30), range(2))


@pytest.mark.parametrize("here", [True, False])
def test_what_one_of_them_raises_ends_both(here):
    both = threading.Barrier(2)
    caller = threading.get_ident()
    done = []

    def work(job):
        if job < 2:
            both.wait(30)
            if here == (threading.get_ident() == caller):
                raise OSError("bad")
        done.append(job)

    with pytest.raises(OSError, match="bad"):
        share(work, [0, 1])
    assert len(done) == 1


class Buffer:
    """What a job may hold."""


def test_an_error_keeps_no_memory():
    def fail(job):
        raise OSError("bad")

    buffers = [Buffer(), Buffer()]
    held = [weakref.ref(buffer) for buffer in buffers]
    gc.disable()
    try:
        with pytest.raises(OSError, match="bad") as raised:
            share(fail, buffers)
        del raised, buffers
        assert [reference() for reference in held] == [None, None]
    finally:
        gc.enable()
