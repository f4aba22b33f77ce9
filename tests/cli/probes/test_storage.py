from __future__ import annotations

import os
import socket

import pytest

from penstock.cli.probes.finding import Context
from penstock.cli.probes.storage import Mount, file_system, mount_of

MOUNTS = r"""22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
23 22 0:21 / /data rw shared:5 - nfs4 server:/export rw,vers=4.2
24 23 0:22 / /data/with\040blank rw - xfs /dev/nvme0n1 rw
25 22 0:23 / /over rw - tmpfs tmpfs rw
26 22 0:24 / /over rw - overlay overlay rw
""".splitlines()


@pytest.mark.parametrize(
    ("path", "mount"),
    [
        ("/", Mount("/", "ext4", "/dev/vda")),
        ("/database", Mount("/", "ext4", "/dev/vda")),
        ("/data", Mount("/data", "nfs4", "server:/export")),
        ("/data/x", Mount("/data", "nfs4", "server:/export")),
        ("/data/with blank/x", Mount("/data/with blank", "xfs", "/dev/nvme0n1")),
        ("/over/x", Mount("/over", "overlay", "overlay")),  # the later covers the earlier
    ],
)
def test_the_mount_of_a_path(path, mount):
    assert mount_of(path, MOUNTS) == mount


def test_folders_and_files_of_this_machine(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(bytes(5000))
    folder, file = (file_system(Context(str(p))) for p in (tmp_path, path))
    assert folder.status == file.status == "ok"
    assert (folder.values["file_type"], file.values["file_type"]) == ("folder", "file")
    assert file.values["size"] == 5000
    assert folder.values["free"] > 0
    assert folder.values["type"] in folder.detail
    assert file_system(Context("/proc")).values["type"] == "proc"


def test_what_is_neither(tmp_path):
    nothing = file_system(Context(str(tmp_path / "nothing")))
    assert (nothing.status, nothing.detail) == ("broken", "No such file or directory")
    assert nothing.values == {"file_type": None}
    os.mkfifo(tmp_path / "fifo")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        for name in ("fifo", "socket"):
            assert file_system(Context(str(tmp_path / name))).values["file_type"] == "other"
