"""Child processes: how they are started, how they end, and that nothing is left of them."""

import errno
import gc
import os
import sys
from collections import Counter
from pathlib import Path

import pytest

from penstock.engine.closing import finish_closing
from penstock.engine.errors import WorkerError
from penstock.engine.processes import child_process
from penstock.engine.processes.child_process import ChildProcess

from ...readers.processes import alive, assert_soon, children

SERVER = """
import os, socket, time
from penstock.engine.processes.channel import Channel
def main(answer, *connections):
    channels = [Channel(socket.socket(fileno=each)) for each in connections]
    for channel in channels:
        channel.send([answer, os.getpgid(0) == os.getpid()])
    if answer == 9:
        time.sleep(1000)
    os._exit(channels[-1].receive())
"""


@pytest.fixture(autouse=True)
def server(tmp_path, monkeypatch):
    """Make `penstock_test_server` a module; assert that no process and no descriptor is left."""
    (tmp_path / "penstock_test_server.py").write_text(SERVER)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    before = set(children()), Counter(descriptors())
    yield
    gc.collect()
    # What earlier tests have dropped may end meanwhile.
    assert_soon(lambda: set(children()) <= before[0] and Counter(descriptors()) <= before[1])


def descriptors():
    names = Path("/proc/self/fd").iterdir()
    return sorted(os.readlink(name) for name in names if name.is_symlink())


def start(answer=7, **options):
    return ChildProcess("penstock_test_server", [answer], **options)


def ended_by_itself(process):
    (pid,) = children()
    assert_soon(lambda: not alive(pid))
    return process.fate()


def test_it_is_told_numbers_and_has_a_group_of_its_own():
    process = start(connections=3)
    assert [channel.receive() for channel in process.channels] == [[7, True]] * 3
    process.close()
    assert children() == []
    process.close()
    assert process.fate() == (
        "was ended by the signal SIGKILL (perhaps the system was short of memory)"
    )


def test_it_may_use_descriptors_of_its_parent(tmp_path):
    path = tmp_path / "file"
    code = "import os\ndef main(number, connection):\n    os.write(number, b'x')\n"
    (tmp_path / "penstock_test_server.py").write_text(code)
    with open(path, "wb") as file:
        process = start(file.fileno(), descriptors=[file.fileno()])
        assert ended_by_itself(process) == "ended with exit status 0"
    process.close()
    assert path.read_bytes() == b"x"


def test_it_may_end_by_itself():
    process = start()
    (channel,) = process.channels
    channel.receive()
    channel.send(5)
    assert ended_by_itself(process) == "ended with exit status 5"
    with pytest.raises((EOFError, OSError)):
        channel.receive()
    process.close()


def test_it_may_die_at_its_start(tmp_path, capfd):
    (tmp_path / "penstock_test_server.py").write_text("raise RuntimeError('at its start')")
    process = start()
    with pytest.raises((EOFError, OSError)):
        process.channels[0].receive()
    assert ended_by_itself(process) == "ended with exit status 1"
    assert "RuntimeError: at its start" in capfd.readouterr().err
    process.close()


def test_it_may_be_ended_while_it_works():
    process = start(9)
    process.channels[0].receive()
    process.kill()
    with pytest.raises((EOFError, OSError)):
        process.channels[0].receive()
    assert "SIGKILL" in process.fate()
    process.close()


def test_it_ends_with_the_connections():
    process = start(9)
    process.channels[0].receive()
    process.channels[0].close()
    assert ended_by_itself(process) == "ended with exit status 1"
    process.close()


def test_it_ends_with_its_object():
    process = start(9)
    (pid,) = children()
    del process
    finish_closing()
    assert not alive(pid)


def test_a_fork_leaves_it_alone(monkeypatch):
    process = start()
    with monkeypatch.context() as patch:
        patch.setattr(os, "getpid", lambda: 0)
        process.close()
    assert process.channels[0].receive() == [7, True]
    process.close()


def test_without_an_interpreter(monkeypatch):
    monkeypatch.setattr(sys, "executable", "")
    with pytest.raises(WorkerError, match="need a Python interpreter"):
        start()
    monkeypatch.setattr(sys, "executable", os.devnull)
    with pytest.raises(OSError, match="Permission denied"):
        start()


def test_without_descriptors_for_all_connections(monkeypatch):
    found = iter([child_process.connected_sockets(), OSError(errno.EMFILE, "too many")])

    def next_pair():
        pair = next(found)
        if isinstance(pair, OSError):
            raise pair
        return pair

    monkeypatch.setattr(child_process, "connected_sockets", next_pair)
    with pytest.raises(OSError, match="too many"):
        start(connections=2)


@pytest.mark.filterwarnings("ignore:subprocess")
def test_an_interrupt_while_it_starts(monkeypatch):
    class Interrupted(child_process.Popen):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            pids.append(self.pid)
            raise KeyboardInterrupt

    pids = []
    monkeypatch.setattr(child_process, "Popen", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        start(9)
    (pid,) = pids
    assert_soon(lambda: not alive(pid))
    monkeypatch.undo()
    os.waitpid(pid, 0)  # `subprocess` does so when the next process is started
    assert not Path(f"/proc/{pid}").exists()
