from __future__ import annotations

import os
import resource

import pytest

from penstock.cli.probes import system


def write(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.mark.parametrize(
    ("files", "cores"),
    [
        ({}, None),
        ({"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/cpu.max": "max 100000\n"}, None),
        ({"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/cpu.max": "150000 100000\n"}, 1.5),
        (
            {  # the group above is tighter
                "proc/self/cgroup": "0::/a/b\n",
                "sys/fs/cgroup/a/b/cpu.max": "400000 100000\n",
                "sys/fs/cgroup/a/cpu.max": "200000 100000\n",
            },
            2,
        ),
        ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "50000 100000\n"}, 0.5),
        (
            {
                "proc/self/cgroup": "4:memory:/x\n1:cpu,cpuacct:/x\n",
                "sys/fs/cgroup/cpu/x/cpu.cfs_quota_us": "300000",
                "sys/fs/cgroup/cpu/x/cpu.cfs_period_us": "100000",
            },
            3,
        ),
        (
            {
                "proc/self/cgroup": "1:cpu:/x\n",
                "sys/fs/cgroup/cpu/x/cpu.cfs_quota_us": "-1",
                "sys/fs/cgroup/cpu/x/cpu.cfs_period_us": "100000",
            },
            None,
        ),
    ],
)
def test_cores_that_control_groups_allow(files, cores, tmp_path):
    write(tmp_path, files)
    assert system.cpu_quota(tmp_path) == cores


@pytest.mark.parametrize(
    ("files", "limit"),
    [
        ({"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "max\n"}, None),
        (
            {
                "proc/self/cgroup": "0::/a\n",
                "sys/fs/cgroup/a/memory.max": "2000000\n",
                "sys/fs/cgroup/memory.max": "1000000\n",
            },
            1_000_000,
        ),
        (
            {
                "proc/self/cgroup": "4:memory:/\n",
                "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
            },
            None,
        ),
    ],
)
def test_memory_that_control_groups_allow(files, limit, tmp_path):
    write(tmp_path, files)
    assert system.memory_limit(tmp_path) == limit


def test_a_quota_below_the_cores_is_said(monkeypatch):
    monkeypatch.setattr(system, "cpu_quota", lambda root: 0.5)
    found = system.cpu()
    assert found.status == "limited"
    assert "0.5 cores' time" in found.detail
    assert "num_threads=1" in found.remedy


def test_this_machine():
    found = {row.name: row for row in system.findings()}
    assert all(row.works for row in found.values())
    assert found["CPU"].values["affinity"] == len(os.sched_getaffinity(0))
    assert 0 < found["memory"].values["available"] <= found["memory"].values["total"]


def test_few_open_files_are_said():
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (500, limits[1]))
    try:
        found = system.open_files()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert (found.status, found.values["soft"]) == ("limited", 500)
    assert found.remedy == "ulimit -n 65536"
