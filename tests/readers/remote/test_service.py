import pytest

from penstock.engine.errors import SourceError
from penstock.readers.remote.retries import Passing
from penstock.readers.remote.service import Version, refusal


@pytest.mark.parametrize(
    ("first", "second", "differs"),
    [
        (Version(5, "a", "t"), Version(5, "a", "u"), False),
        (Version(5, "a", "t"), Version(5, "b", "t"), True),
        (Version(5, "a"), Version(6, "a"), True),
        (Version(5, "a", "t"), Version(5, "", "u"), True),
        (Version(5, "a"), Version(5), False),
    ],
)
def test_versions_differ_if_size_or_tag_or_time_does(first, second, differs):
    assert first.differs(second) is second.differs(first) is differs


def test_stamps():
    assert Version(5, "a", "t").stamp == "5:a"
    assert Version(5, "", "t").stamp == "5:t"
    assert Version(5).stamp == ""


@pytest.mark.parametrize(
    ("status", "error"),
    [
        *((status, FileNotFoundError) for status in (404, 410)),
        *((status, PermissionError) for status in (401, 403)),
        *((status, Passing) for status in (408, 425, 429, 500, 503)),
        *((status, SourceError) for status in (400, 418)),
    ],
)
def test_statuses(status, error):
    refused = refusal("http://me:secret@host/a", status, "reason")
    assert type(refused) is error
    assert "secret" not in str(refused)
