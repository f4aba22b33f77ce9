"""The parts of names on the Hub."""

import pytest

from penstock import ArgumentError
from penstock.readers.hub.names import HubName, hub_name, is_on_hub

COMMIT = "0123456789abcdef" * 2 + "01234567"


@pytest.mark.parametrize(
    ("url", "parts"),
    [
        ("hf://user/name", ("user/name", "", "")),
        ("hf://datasets/user/name/", ("user/name", "", "")),
        ("HF://user/na.me-2/a/b.tar", ("user/na.me-2", "", "a/b.tar")),
        ("hf://user/name@main/a", ("user/name", "main", "a")),
        ("hf://user/name@refs/convert/parquet/a", ("user/name", "refs/convert/parquet", "a")),
        ("hf://user/name@refs%2Fpr%2F3/a", ("user/name", "refs/pr/3", "a")),
        (f"hf://user/name@{COMMIT}", ("user/name", COMMIT, "")),
    ],
)
def test_parts(url, parts):
    name = hub_name(url)
    assert name == HubName(*parts)
    assert hub_name(str(name)) == name
    assert name.is_pinned == (parts[1] == COMMIT)


@pytest.mark.parametrize("url", ["hf://", "hf://name", "hf://spaces/user/name", "hf://a b/c"])
def test_other_names(url):
    with pytest.raises(ArgumentError, match="no name of a data set on the Hub; expected hf://user"):
        hub_name(url)


def test_names_on_the_hub():
    assert is_on_hub("hf://a/b")
    assert is_on_hub(b"hf://a/b")
    assert not is_on_hub("https://a/b")
    assert not is_on_hub("hf/a")
