"""The threads that make the requests to one service, and their number."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from ...engine.threads import Team
from ..hub.names import is_on_hub
from .fsspec_service import FsspecService
from .obstore_service import ObstoreService
from .retries import Limits, split_options
from .service import Service
from .stores import ANY_HOST, is_known


class Endpoint:
    """One service with one set of options, shared by all objects in it.

    A request waits in a thread, without the GIL. The end of a program does not wait for a server.

    Attributes:
        limits, service: of the requests.
        team: the threads.
    """

    def __init__(self, url: str, options: Mapping[str, Any]) -> None:
        self.limits, rest = split_options(options)
        self.service = _service(url, rest, self.limits)
        self.team = Team("objects", self.limits.at_once, ends_at_exit=False)

    def call(self, call: Callable[[], None]) -> None:
        """Have a thread make a call, which must not raise; at most `at_once` calls run together."""
        asked = self.team.submit(call)
        if not self.team.started:  # the system gives no thread
            asked.run()


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
