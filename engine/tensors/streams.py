"""Streams of user code."""

from __future__ import annotations

from typing import Any

DEFAULT_STREAM = 1
"""CUDA's handle of the default stream, which waits for all streams that are not "non-blocking"."""


class ForeignStream:
    """A stream of user code. Only its handle is known, and user code may destroy the stream."""

    def __init__(self, runtime: Any, handle: int) -> None:
        self.ptr = handle
        self._runtime = runtime

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self.ptr

    def wait_event(self, event: Any) -> None:
        """Let later work wait for the event."""
        self._runtime.streamWaitEvent(self.ptr, event.ptr)

    def synchronize(self) -> None:
        """Wait until the stream has done all its work."""
        self._runtime.streamSynchronize(self.ptr)
