import pytest

from penstock.engine.errors import ArgumentError
from penstock.readers.listing.globs import name_filter

NAMES = [b"a.jpg", b"A.JPG", b".jpg", b"ab.jpg", b"a.jpeg", b"1.png", b"[x]", b"*", b"\xff.jpg"]


def matching(patterns, *, case_sensitive=True):
    matches = name_filter(patterns, case_sensitive=case_sensitive)
    return [name for name in NAMES if matches(name)]


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("*.jpg", [b"a.jpg", b".jpg", b"ab.jpg", b"\xff.jpg"]),
        ("?.jpg", [b"a.jpg", b"\xff.jpg"]),
        ("[!a].jpg", [b"\xff.jpg"]),
        ("[^a].jpg", [b"\xff.jpg"]),
        ("[a-b]*", [b"a.jpg", b"ab.jpg", b"a.jpeg"]),
        ("[[:digit:]]*", [b"1.png"]),
        (r"\*", [b"*"]),
        ("[[]x]", [b"[x]"]),
        ("*", NAMES),
        ("a.jpg", [b"a.jpg"]),
        ("*e*", [b"a.jpeg"]),
        ("", []),
    ],
)
def test_patterns(pattern, names):
    assert matching([pattern]) == names


def test_case_counts_only_when_asked():
    assert matching(["*.JPG", "A*.J*"]) == [b"A.JPG"]
    any_case = [b"a.jpg", b"A.JPG", b"ab.jpg"]
    assert matching(["A*.Jpg"], case_sensitive=False) == any_case
    assert matching(["*A.jPg", "aB.*"], case_sensitive=False) == any_case


def test_any_pattern_suffices():
    assert matching(["*.png", "[[]*", "*.jpeg"]) == [b"a.jpeg", b"1.png", b"[x]"]


@pytest.mark.parametrize("pattern", [b"*.jpg", 3, "a\0b"])
def test_what_is_no_pattern_raises(pattern):
    with pytest.raises(ArgumentError, match="must be a pattern such as"):
        name_filter([pattern], case_sensitive=True)
