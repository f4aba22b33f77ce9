import pytest

from penstock.engine.errors import SourceError
from penstock.readers.remote.retries import Passing
from penstock.readers.remote.service import Version

from .services import ask

CONTENT = bytes(range(100))


@pytest.fixture
def url(web):
    web.objects |= {"a": CONTENT, "empty": b""}
    web.tags["a"] = '"one"'
    return f"{web.url}/a"


def test_a_range_comes_with_the_version(url, web):
    answer = ask(url, 10, 20)
    assert answer[:3] == (10, 20, True)
    assert answer.content == CONTENT[10:30]
    assert answer.version == Version(100, '"one"', answer.version.modified)
    assert web.requests == [("a", "bytes=10-29")]


def test_a_range_that_reaches_beyond_the_end_is_shorter(url):
    answer = ask(url, 90, 20)
    assert (answer.offset, answer.length, answer.content) == (90, 10, CONTENT[90:])


def test_an_empty_object(url):
    answer = ask(url.replace("/a", "/empty"), 0, 20)
    assert (answer.length, answer.version.size, answer.content) == (0, 0, b"")


def test_a_server_without_ranges_says_so(url, web):
    web.ranges = False
    answer = ask(url, 10, 20)
    assert answer[:3] == (0, 100, False)
    assert answer.content == CONTENT


def test_a_server_that_tells_no_size_is_refused(url, web):
    web.ranges = web.lengths = False
    with pytest.raises(SourceError, match="neither serves ranges nor tells the object's size"):
        ask(url, 10, 20)


@pytest.mark.parametrize(
    ("fault", "error", "message"),
    [
        ("404", FileNotFoundError, "no such object"),
        ("403", PermissionError, "refuses access"),
        ("503", Passing, "status 503"),
        ("418", SourceError, "status 418"),
        ("cut", Passing, "the connection failed"),
    ],
)
def test_each_fault_has_its_exception(url, web, fault, error, message):
    web.faults.append(fault)
    with pytest.raises(error, match=message):
        ask(url, 0, 100)
    assert ask(url, 0, 100).content == CONTENT


def test_redirects_in_a_circle_are_refused(url, web):
    web.always = "loop"
    with pytest.raises(SourceError, match="gave up after 10 redirects"):
        ask(url, 0, 100)


def test_no_message_shows_a_password():
    with pytest.raises(Passing) as raised:
        ask("http://me:secret@127.0.0.1:1/a", 0, 1)
    assert "secret" not in str(raised.value)


def test_own_headers_are_sent_with_the_range(url, web):
    answer = ask(url, 1, 2, options={"headers": {"X-Own": "1"}})
    assert answer.content == CONTENT[1:3]
    assert web.requests == [("a", "bytes=1-2")]
