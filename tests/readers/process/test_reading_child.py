"""The reading process, asked over its connections without `ReadingProcess`."""

import os
import subprocess
import sys

import numpy as np
import pytest

from penstock.engine.processes.child_process import ChildProcess
from penstock.engine.processes.shipment import Shipment
from penstock.readers.storage.local_reads import identity
from penstock.tests.readers.squares import Squares

from ..processes import alive, assert_soon

TARGET = 8192  # offset in the arena


@pytest.fixture
def child(pool):
    """Return a reading process with two connections, and our ends of the connections."""
    arena = pool.arena.descriptor
    process = ChildProcess("penstock.readers.process.reading_child", [2, arena], [arena], 2)
    yield process, process.channels
    process.close()


def test_samples_and_parts_of_files_on_each_connection(tmp_path, pool, child):
    path = tmp_path / "file"
    path.write_bytes(bytes(range(200)))
    _, channels = child
    channels[0].send(({}, Shipment.of(Squares(bad=[5]), pool.arena)))
    assert channels[0].receive() is None
    for number, channel in enumerate(channels):
        offset = TARGET * (number + 1)
        channel.send(("samples", np.array([20, 3]), offset, 1000))
        used, ((rows, _),) = channel.receive()
        assert (used, rows.shapes.tolist()) == (464, [[400], [9]])
        block = pool.arena.array((offset, (409,), "u1"))
        assert block.tobytes() == bytes([20]) * 400 + bytes([3]) * 9
        channel.send(("samples", np.array([20, 5]), offset, 1000))
        assert channel.receive() is None  # a sample cannot be read
        strided = (3,), "u1", (5,), "u1", (1,), np.array([(0, 7, offset), (0, 195, offset + 3)])
        channel.send(("copy", [(str(path), identity(os.stat(path)))], [strided]))
        (done,) = channel.receive()
        assert done.tolist() == [True, False]  # the second one ends behind the file
        assert block[:3].tolist() == [7, 12, 17]


def test_a_request_that_fails_ends_the_process(child):
    process, (channel, _) = child
    channel.send(({}, None))
    channel.receive()
    channel.send(("unknown",))
    with pytest.raises((EOFError, OSError)):
        channel.receive()
    assert "1" in process.fate()  # the exit status


PARENT = """
import os
from penstock.engine.processes.child_process import ChildProcess
from penstock.engine.tensors.memory import SlabPool
pool = SlabPool(shared=True)
arena = pool.arena.descriptor
process = ChildProcess("penstock.readers.process.reading_child", [1, arena], [arena])
(channel,) = process.channels
channel.send(({}, None))
channel.receive()
task = f"/proc/{os.getpid()}/task/{os.getpid()}/children"
print(open(task).read().split()[-1], flush=True)
os._exit(0)
"""


def test_the_process_ends_with_its_parent():
    done = subprocess.run(
        [sys.executable, "-c", PARENT],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=True,
        timeout=200,
    )
    assert_soon(lambda: not alive(int(done.stdout)))
    assert not alive(int(done.stdout))
