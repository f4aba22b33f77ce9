"""A child that user code has forked ends, and says why: see also `test_own_threads`."""

import os

import pytest

from penstock.engine.run.forks import end_forked_child


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_says_what_to_do_and_ends():
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(write, 2)
        end_forked_child()
    os.close(write)
    with open(read, "rb") as stream:
        assert b"End it by os._exit" in stream.read()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
