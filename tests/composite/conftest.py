"""The web server of the readers' tests."""

from ..readers.conftest import web

__all__ = ["web"]
