"""A stream of user code, of which only the handle is known."""

from __future__ import annotations

from types import SimpleNamespace

from penstock.engine.tensors.device_export import stream_handle
from penstock.engine.tensors.streams import DEFAULT_STREAM, ForeignStream


class Runtime:
    """Records the calls of CUDA's runtime."""

    def __init__(self):
        self.calls = []

    def __getattr__(self, name):
        return lambda *arguments: self.calls.append((name, *arguments))


def test_other_libraries_see_the_handle():
    stream = ForeignStream(Runtime(), 77)
    assert stream.__cuda_stream__() == (0, 77)
    assert stream_handle(stream) == stream.ptr == 77


def test_no_stream_is_the_default_stream():
    assert stream_handle(None) == stream_handle(0) == DEFAULT_STREAM


def test_waits_go_to_the_runtime():
    runtime = Runtime()
    stream = ForeignStream(runtime, 77)
    stream.wait_event(SimpleNamespace(ptr=5))
    stream.synchronize()
    assert runtime.calls == [("streamWaitEvent", 77, 5), ("streamSynchronize", 77)]
