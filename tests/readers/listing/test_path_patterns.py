"""Paths with braces, globs and folders."""

import pytest

from penstock.engine.errors import ArgumentError, SourceError
from penstock.readers.listing import path_patterns
from penstock.readers.listing.path_patterns import expand_braces, expand_paths


@pytest.mark.parametrize(
    ("pattern", "expanded"),
    [
        ("plain.tar", ["plain.tar"]),
        ("{0..3}", ["0", "1", "2", "3"]),
        ("{08..11}.tar", ["08.tar", "09.tar", "10.tar", "11.tar"]),
        ("{8..010}", ["008", "009", "010"]),
        ("{0..10..5}", ["0", "5", "10"]),
        ("{a,bc,}x", ["ax", "bcx", "x"]),
        ("{a,b}/{1..2}", ["a/1", "a/2", "b/1", "b/2"]),
        ("{x}-{1..2}", ["{x}-1", "{x}-2"]),
        ("{}{", ["{}{"]),
    ],
)
def test_braces(pattern, expanded):
    assert list(expand_braces(pattern)) == expanded


@pytest.mark.parametrize("pattern", ["{3..1}", "{0..9999999}", "{1..5..0}"])
def test_ranges_that_are_mistakes(pattern):
    with pytest.raises(ArgumentError, match="must count up"):
        list(expand_braces(pattern))


def test_the_number_of_paths_is_bounded(tuned):
    tuned(path_patterns, MAX_PATHS=3)
    assert len(list(expand_braces("{1..3}"))) == 3
    with pytest.raises(ArgumentError, match="at most 3 numbers"):
        list(expand_braces("{1..4}"))


@pytest.fixture
def folder(tmp_path):
    for name in ("b.rec", "a.rec", "a.idx", ".hidden.rec", "a.rec.penstock-index", "[x]*.rec"):
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "c.rec").write_bytes(b"")
    return tmp_path


def names(folder, paths):
    return [path.removeprefix(f"{folder}/") for path in paths]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*.rec", ["[x]*.rec", "a.rec", "b.rec"]),
        ("?.rec", ["a.rec", "b.rec"]),
        ("[ab].rec", ["a.rec", "b.rec"]),
        ("**/*.rec", ["[x]*.rec", "a.rec", "b.rec", "more/c.rec"]),
        ("{more,.}/?.rec", ["more/c.rec", "./a.rec", "./b.rec"]),
        ("[x]*.rec", ["[x]*.rec"]),  # a file of that very name
        ("missing.rec", ["missing.rec"]),
    ],
)
def test_globs(folder, pattern, expected):
    assert names(folder, expand_paths([f"{folder}/{pattern}"])) == expected


def test_folders(folder):
    assert names(folder, expand_paths([str(folder)], "*.rec")) == ["[x]*.rec", "a.rec", "b.rec"]
    assert names(folder, expand_paths([str(folder / "more")])) == ["more/c.rec"]


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("*.tar", "no file matches the pattern '.*/[*].tar'; there are .*a.rec"),
        ("more/*x", "no file matches"),
    ],
)
def test_patterns_without_a_match(folder, pattern, message):
    with pytest.raises(SourceError, match=message):
        expand_paths([f"{folder}/{pattern}"])


def test_a_folder_without_such_files(folder):
    with pytest.raises(SourceError, match=r"no file '\*.tar' lies in '.*/more'"):
        expand_paths([str(folder / "more")], "*.tar")


def test_only_braces_of_urls_are_expanded():
    assert expand_paths(["https://host/{1..2}?a=[b]*"]) == [
        "https://host/1?a=[b]*",
        "https://host/2?a=[b]*",
    ]


@pytest.mark.parametrize(
    ("names", "missing"),
    [
        (["a-0-of-3.rec", "a-2-of-3.rec"], r"1 of 3 files .*a-1-of-3\.rec'"),
        (["a-00001-of-00003", "a-00003-of-00003"], r"1 of 3 files .*a-00002-of-00003'"),
        (["a-01-of-10-5e.rec", "b-0-of-1"], r"9 of 10 files .*a-00-of-10-5e\.rec'"),
    ],
)
def test_missing_files_of_numbered_ones_are_told(tmp_path, names, missing):
    for name in names:
        (tmp_path / name).touch()
    for path in (tmp_path, tmp_path / "*"):
        with pytest.warns(RuntimeWarning, match=missing):
            assert len(expand_paths([str(path)])) == 2
    begin, end = names[0].split("-of-")
    chosen = f"{tmp_path}/{begin[:-1]}[{begin[-1]}]-of-{end}"  # by a pattern for some numbers
    assert expand_paths([chosen]) == [f"{tmp_path}/{names[0]}"]
    (tmp_path / "whole").mkdir()
    for number in range(12):
        (tmp_path / "whole" / f"a-{number}-of-12.tar").touch()
    assert len(expand_paths([str(tmp_path / "whole")])) == 12
