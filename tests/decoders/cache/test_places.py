"""Where caches lie: who shares them, and what is left of them."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from penstock import ArgumentError
from penstock.decoders.cache import ram
from penstock.decoders.cache.disk import FILE_NAME
from penstock.decoders.cache.layout import VERSION
from penstock.decoders.cache.places import Place, close_cache, open_cache

from .conftest import found, key, pixels
from .programs import STORES, running


def register_of(place):
    return Path(f"/dev/shm/penstock-cache-{VERSION}-{os.getuid()}-{place.mebibytes}")


@pytest.fixture
def memory(mebibytes):
    return Place("ram", mebibytes)


def test_a_process_opens_a_cache_once(place):
    one, other = open_cache(place), open_cache(place)
    assert one is other
    close_cache(place)
    assert one.store(key(1), pixels(1))
    close_cache(place)
    with pytest.raises(OSError, match="descriptor"):
        os.fstat(one.descriptor)


def test_memory_outlives_the_process_that_made_it(opened, memory):
    with running(STORES.format(place=memory, number=1)) as maker:
        maker.wait_for("stored")
        cache = opened(memory)
        np.testing.assert_array_equal(found(cache, 1), pixels(1))
        maker.kill()
    with running(STORES.format(place=memory, number=1)) as third:
        third.wait_for("stored")
        assert cache.store(key(2), pixels(2))
        inodes = {
            os.stat(f"/proc/{pid}/fd/{descriptor}").st_ino for pid, descriptor in holders(memory)
        }
        assert len(inodes) == 1
        assert len(holders(memory)) == 2
        third.end()
    assert len(holders(memory)) == 1


def holders(place):
    lines = register_of(place).read_text().splitlines()
    return [tuple(map(int, line.split())) for line in lines]


def test_memory_goes_with_its_last_process(memory):
    with running(STORES.format(place=memory, number=1)) as one:
        one.wait_for("stored")
        one.kill()
    cache = open_cache(memory)
    assert found(cache, 1) is None
    assert cache.used == cache._data_at
    assert len(holders(memory)) == 1
    close_cache(memory)
    assert not register_of(memory).exists()


def test_a_spoiled_register_costs_the_sharing_alone(opened, memory):
    register_of(memory).write_text(f"{os.getpid()} 0\n99999999 3\nnonsense \xff\n1 2 3\n\n-1 -1\n")
    cache = opened(memory)
    assert cache.store(key(1), pixels(1))
    assert holders(memory) == [(os.getpid(), cache.descriptor)]


def test_the_disk_keeps_the_cache(disk):
    with running(STORES.format(place=disk, number=1)) as one:
        one.wait_for("stored")
        one.end()
    cache = open_cache(disk)
    np.testing.assert_array_equal(found(cache, 1), pixels(1))
    close_cache(disk)


def as_link(path):
    path.with_name("target").touch()
    path.symlink_to(path.with_name("target"))


def as_second_name(path):
    path.touch(0o600)
    os.link(path, path.with_name("other"))


def as_writable(path):
    path.touch()
    path.chmod(0o660)


OBSTACLES = [
    (as_link, "is a link"),
    (os.mkfifo, "is a pipe or a device"),
    (Path.mkdir, "is a folder"),
    (as_second_name, "has another name, too"),
    (as_writable, "may be written by others"),
]


@pytest.mark.parametrize(("make", "text"), OBSTACLES)
@pytest.mark.parametrize("kind", ["ram", "disk"])
def test_files_that_others_may_have_made_are_refused(kind, make, text, tmp_path, monkeypatch):
    place = Place(kind, 1, str(tmp_path) if kind == "disk" else "")
    name = FILE_NAME if kind == "disk" else register_of(place).name
    monkeypatch.setattr(ram.os, "access", lambda *_: False)  # no /dev/shm, which others use
    monkeypatch.setattr(ram.tempfile, "gettempdir", lambda: str(tmp_path))
    make(tmp_path / name)
    with pytest.raises(ArgumentError, match=f"{name} {text}.*trusts files of its own user alone"):
        open_cache(place)
    assert not any(path.is_file() and path.stat().st_size for path in tmp_path.iterdir())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")
def test_a_cache_of_another_user_is_refused(disk):
    path = Path(disk.folder, FILE_NAME)
    open_cache(disk)
    close_cache(disk)
    assert path.stat().st_mode & 0o777 == 0o600
    os.chown(path, 1234, -1)
    with pytest.raises(ArgumentError, match="belongs to another user, of the number 1234"):
        open_cache(disk)


def test_more_than_the_memory_is_refused():
    with pytest.raises(ArgumentError, match=r"but the host has \d+ MiB of memory"):
        open_cache(Place("ram", 1 << 40))


def test_a_file_that_the_disk_cannot_have_leaves_none_that_stands_in_the_way(opened, disk):
    with pytest.raises(ArgumentError, match=r"cannot hold a cache of \d+ MiB.*a local disk"):
        open_cache(disk._replace(mebibytes=1 << 42))
    assert opened(disk).store(key(1), pixels(1))


def test_an_end_without_a_close_leaves_a_line_that_the_next_user_removes(opened, memory):
    with running(STORES.format(place=memory, number=1)) as one:
        one.wait_for("stored")
        one.kill()
    assert register_of(memory).exists()
    cache = opened(memory)
    assert holders(memory) == [(os.getpid(), cache.descriptor)]
