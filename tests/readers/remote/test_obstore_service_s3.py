import pytest

from penstock.engine.errors import SourceError
from penstock.readers.remote.retries import Passing

from .services import ask

CONTENT = bytes(range(100))


@pytest.fixture
def url(s3):
    return s3.put("service/a", CONTENT)


def test_a_range_comes_with_the_version(s3, url):
    answer = ask(url, 10, 20, options=s3.options)
    assert answer[:3] == (10, 20, True)
    assert answer.content == CONTENT[10:30]
    assert answer.version.size == 100
    assert answer.version.tag
    assert answer.version.modified
    # Requests that other tests have given up may still come.
    own = [request for request in s3.front.requests if request[0] == "bucket/service/a"]
    assert own[-1] == ("bucket/service/a", "bytes=10-29")


def test_another_content_has_another_version(s3, url):
    before = ask(url, 0, 1, options=s3.options).version
    s3.put("service/a", CONTENT[::-1])
    assert ask(url, 0, 1, options=s3.options).version.differs(before)


def test_an_empty_object_and_a_range_behind_the_end(s3, url):
    empty = s3.put("service/empty", b"")
    answer = ask(empty, 0, 20, options=s3.options)
    assert (answer.length, answer.version.size, answer.content) == (0, 0, b"")
    with pytest.raises(SourceError, match="status 416"):
        ask(url, 100, 20, options=s3.options)


def test_a_missing_object_is_named(s3, url):
    with pytest.raises(FileNotFoundError, match="no such object"):
        ask(url + "-none", 0, 1, options=s3.options)


@pytest.mark.parametrize("fault", ["503", "cut"])
def test_faults_that_may_pass(s3, url, fault):
    s3.front.faults.append(fault)
    with pytest.raises(Passing):
        ask(url, 0, 100, options=s3.options)
    assert ask(url, 0, 100, options=s3.options).content == CONTENT
