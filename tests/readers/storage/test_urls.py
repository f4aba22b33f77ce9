import pytest

from penstock.readers.storage.urls import is_url


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("s3://bucket/key", True),
        ("https://host:80/a?b=c", True),
        ("memory://a", True),
        ("", False),
        ("a/b", False),
        ("/a/s3://b", False),
        ("C://a", False),
        ("a b://c", False),
        ("://a", False),
        ("s3:/a", False),
    ],
)
def test_urls_are_told_from_paths(text, expected):
    assert is_url(text) is expected
    assert is_url(text.encode()) is expected
