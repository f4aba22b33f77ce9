"""Attacks read data that nothing damages: an attack whose data are always refused tests nothing."""

from __future__ import annotations

from random import Random

import pytest

from penstock.tests.readers.servers import ObjectServer

from .attacks import corrupt_media, corrupt_records, lying_servers


def counted(read, found):
    """Return a function that reads the same, and appends the number of samples to a list."""

    def watched(*arguments):
        samples = list(read(*arguments))
        found.append(len(samples))
        return samples

    return watched


@pytest.fixture
def seen(tmp_path, monkeypatch):
    """The samples that attacks read, without any damage."""
    found = []
    monkeypatch.chdir(tmp_path)
    for module in (corrupt_records, corrupt_media):
        monkeypatch.setattr(module, "damaged", lambda content, _: content)
    for module, name in (
        (corrupt_records, "read"),
        (corrupt_media, "batches"),
        (lying_servers, "read"),
    ):
        monkeypatch.setattr(module, name, counted(getattr(module, name), found))
    return found


@pytest.mark.parametrize("attack", ["records", "archives", "arrays", "zipped_arrays"])
def test_records(attack, seen):
    getattr(corrupt_records, attack)(Random(1))
    assert min(seen) > 0


@pytest.mark.parametrize("attack", ["sounds", "videos", "boxes", "texts"])
def test_media(attack, seen):
    getattr(corrupt_media, attack)(Random(1))
    assert min(seen) > 0


@pytest.mark.parametrize("attack", [lying_servers.read_files, lying_servers.read_records])
def test_servers(attack, seen):
    with ObjectServer() as server:
        attack(server, Random(1))
    assert min(seen) > 0
