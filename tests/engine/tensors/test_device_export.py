"""Streams as users name them, and what an export tells the lease."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace

import pytest

from penstock.engine.errors import ArgumentError
from penstock.engine.tensors.device_export import capsule_of, interface_of, stream_handle


class OfTheProtocol:
    def __cuda_stream__(self):
        return 0, 77


@pytest.mark.parametrize(
    ("stream", "handle"),
    [
        (None, 1),
        (0, 1),
        (1, 1),
        (2, 2),
        (1234, 1234),
        (ctypes.c_void_p(99), 99),
        (ctypes.c_void_p(None), 1),
        (SimpleNamespace(ptr=5), 5),
        (SimpleNamespace(ptr=0), 1),
        (SimpleNamespace(cuda_stream=6), 6),
        (OfTheProtocol(), 77),
    ],
)
def test_streams(stream, handle):
    assert stream_handle(stream) == handle


@pytest.mark.parametrize("stream", ["default", -1, True, 1.5])
def test_what_is_no_stream(stream):
    with pytest.raises(ArgumentError, match="is no CUDA stream"):
        stream_handle(stream)


class Exported:
    """An array, and a lease that remembers."""

    def __init__(self, **interface):
        self.__cuda_array_interface__ = {"data": (1, False), **interface}
        self.streams = []

    def used_on(self, stream):
        self.streams.append(stream)

    def __dlpack__(self, **options):
        return options


def test_the_lease_hears_of_exports():
    both = Exported(stream=7)
    assert interface_of(both, both)["data"] == (1, False)
    assert both.streams == [None, 7]
    both = Exported()
    interface_of(both, both)
    capsule = capsule_of(both, both, stream=9, max_version=(1, 0))
    assert both.streams == [None, None, 9]
    assert capsule == {"stream": 9, "max_version": (1, 0)}
    assert capsule_of(both, None) == {}
