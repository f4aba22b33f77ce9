"""What all servers have in common: requests of samples, and their errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..engine.errors import PenstockError

BAD_REQUEST, NOT_FOUND, TIMEOUT, TOO_LARGE, BROKEN, BUSY = 400, 404, 408, 413, 500, 503


class RequestError(PenstockError):
    """A request that gets no outputs.

    Attributes:
        status: of HTTP: 400 if the request is at fault, 500 or 503 if the server is.
    """

    def __init__(self, text: str, status: int = BAD_REQUEST) -> None:
        super().__init__(text)
        self.status = status


class RequestSamples(NamedTuple):
    """The samples of one request.

    Attributes:
        size: their number.
        data: for each input an array whose axis 0 runs over the samples, or a list of arrays.
    """

    size: int
    data: Mapping[str, Any]
