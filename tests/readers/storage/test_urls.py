import pytest

from penstock.readers.storage.urls import is_local, is_url, shown


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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://host/a?id=5", "https://host/a?id=5"),
        ("https://me:word@host/a@b", "https://***@host/a@b"),
        ("s3://bucket/me@b", "s3://bucket/me@b"),
        ("https://h/a?sv=1&sig=aB%2F&se=2", "https://h/a?sv=1&sig=***&se=2"),
        ("https://h/a?X-Amz-Signature=5#top", "https://h/a?X-Amz-Signature=***#top"),
        ("https://h/a?AWSAccessKeyId=5&design=6", "https://h/a?AWSAccessKeyId=***&design=6"),
        ("https://h/a?access_token=5&api-key=6", "https://h/a?access_token=***&api-key=***"),
        ("0, url='http://h/a?token=5', x", "0, url='http://h/a?token=***', x"),
        ("/local/a?sig=of/file", "/local/a?sig=***"),
    ],
)
def test_secrets_are_not_shown(text, expected):
    assert shown(text) == shown(text.encode()) == expected


@pytest.mark.parametrize("path", [b"/etc/passwd", b"file:///a", b"FILE://a", b"local://a"])
def test_names_of_local_files(path):
    assert is_local(path)
    assert not is_local(b"folder" + path)
    assert not is_local(b"s3://bucket/a")
