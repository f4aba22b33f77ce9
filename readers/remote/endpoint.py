"""The threads that make the requests to one service, and their number."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from queue import SimpleQueue
from typing import Any

from ..hub.names import is_on_hub
from .fsspec_service import FsspecService
from .obstore_service import ObstoreService
from .retries import Limits, split_options
from .service import Service
from .stores import ANY_HOST, is_known

Call = Callable[[], None]


class Endpoint:
    """One service with one set of options, shared by all objects in it.

    A request waits in a thread, without the GIL. The threads are daemons that nobody joins: the end
    of a program does not wait for a server.

    Attributes:
        limits, service: of the requests.
        threads: number of threads that were started.
    """

    def __init__(self, url: str, options: Mapping[str, Any]) -> None:
        self.limits, rest = split_options(options)
        self.service = _service(url, rest, self.limits)
        self._calls: SimpleQueue[Call] = SimpleQueue()
        self._lock = threading.Lock()
        self.threads = self._under_way = 0

    def call(self, call: Call) -> None:
        """Have a thread make a call, which must not raise; at most `at_once` calls run together.

        Raises:
            RuntimeError: the system gives no thread, and there is none yet.
        """
        with self._lock:
            self._under_way += 1
            if self._under_way > self.threads < self.limits.at_once:
                self._start_thread()
        self._calls.put(call)

    def _start_thread(self) -> None:
        name = f"objects-{self.threads}"
        try:
            threading.Thread(target=self._work, name=name, daemon=True).start()
        except RuntimeError:  # the system gives no more threads
            if not self.threads:
                raise
        else:
            self.threads += 1

    def _work(self) -> None:
        while True:
            self._calls.get()()
            with self._lock:
                self._under_way -= 1


def _service(url: str, options: Mapping[str, Any], limits: Limits) -> Service:
    if is_on_hub(url):
        from ..hub.service import HubService  # needs an optional library

        return HubService(options, limits)
    return (ObstoreService if is_known(url, options) else FsspecService)(url, options, limits)


# By process, because threads do not survive a fork. The child keeps the parent's entries: dropping
# them would close sockets that the parent uses.
_endpoints: dict[tuple[int, str, str], Endpoint] = {}


def endpoint(url: str, options: Mapping[str, Any]) -> Endpoint:
    """Return the endpoint of an object.

    Raises:
        MissingDependencyError: the library for its protocol is not installed.
        ArgumentError: no library knows the protocol, or the options are wrong.
    """
    key = os.getpid(), _shared_part(url), repr(sorted(options.items()))
    held = _endpoints.get(key)
    if held is None:
        held = _endpoints.setdefault(key, Endpoint(url, options))
    return held


def _shared_part(url: str) -> str:
    """Return what URLs of one endpoint have in common."""
    if is_on_hub(url):
        from ..hub.repository import hub  # needs an optional library

        return hub().address
    scheme, _, rest = url.partition("://")
    return scheme if scheme in ANY_HOST else f"{scheme}://{rest.partition('/')[0]}"
