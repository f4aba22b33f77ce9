"""Globs over whole paths mean what they mean to fsspec."""

import pytest

from penstock.readers.listing.path_globs import path_glob

PATHS = [
    *("a.parquet", "data/a.parquet", "data/b/a.parquet", "data/b/c/a.parquet", "data/train-1.tar"),
    *("data/train-x.tar", "data/train-[1].tar", "data/.hidden", "data/a+b.tar", "data/a^b.tar"),
]


@pytest.mark.parametrize(
    "pattern",
    [
        *("*", "**", "data/*", "data/**", "**/a.parquet", "data/**/a.parquet", "data/train-?.tar"),
        *(
            "data/train-[0-9].tar",
            "data/train-[!0-9].tar",
            "data/a+b.tar",
            "*/*.tar",
            "data/a[^+]*",
        ),
    ],
)
def test_the_same_as_fsspec(tmp_path, pattern):
    fsspec = pytest.importorskip("fsspec")
    for path in PATHS:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(b"")
    files = fsspec.filesystem("file").glob(f"{tmp_path}/{pattern}", withdirs=False)
    wanted = {file[len(str(tmp_path)) + 1 :] for file in files}
    found = {path for path in PATHS if path_glob(pattern)(path)}
    assert found == wanted & set(PATHS)


@pytest.mark.parametrize("pattern", ["*a" * 100 + "b", "**/" * 100 + "b", "[a-z]*" * 100 + "B"])
def test_hostile_patterns_take_no_time_that_grows_beyond_bounds(pattern):
    fits = path_glob(pattern)
    assert not fits("a" * 255)
    assert not fits("/".join(["a" * 50] * 100))
