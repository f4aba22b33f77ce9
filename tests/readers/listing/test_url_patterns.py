import pytest

from penstock import fn, pipeline_def, types
from penstock.datasets import open_dataset
from penstock.engine.errors import SourceError
from penstock.readers.listing.path_patterns import expand_paths
from penstock.readers.source import UnavailableError

from ..tars import archive

FILES = [
    *(f"set/train-{number}.tar" for number in range(12)),
    *("set/val-1.tar", "set/train-1.idx", "set/_SUCCESS", "set/.x/train-7.tar"),
    *("set/deep/train-3.tar", "set/deep/more/train-4.tar"),
]


@pytest.fixture(params=["http", "s3"])
def place(request):
    """Return the URL of the folder that holds `FILES`, and `storage_options`."""
    if request.param == "http":
        web = request.getfixturevalue("web")
        web.objects |= dict.fromkeys(FILES, b"")
        return web.url, {}
    s3 = request.getfixturevalue("s3")
    for name in FILES:
        s3.put(f"patterns/{name}", b"")
    return "s3://bucket/patterns", s3.options


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("set/train-*.tar", sorted(f"set/train-{number}.tar" for number in range(12))),
        ("set/train-[2-4].tar", [f"set/train-{number}.tar" for number in (2, 3, 4)]),
        ("set/{val,train}-1.tar", ["set/val-1.tar", "set/train-1.tar"]),
        ("set/{val,train}-1*.idx", ["set/train-1.idx"]),
        ("s*/d*/*.tar", ["set/deep/train-3.tar"]),
        ("**/train-[34].tar", sorted(n for n in FILES if n.endswith(("-3.tar", "-4.tar")))),
        ("set/deep/**", ["set/deep/more/train-4.tar", "set/deep/train-3.tar"]),
        ("set/*/more/train-4.tar", ["set/deep/more/train-4.tar"]),
        ("set/deep/", ["set/deep/train-3.tar"]),
    ],
)
def test_patterns_name_objects(place, pattern, expected):
    root, options = place
    if "{val,train}-1*" in pattern:
        with pytest.raises(SourceError, match=r"val-1\*\.idx'; there are _SUCCESS, deep/, "):
            expand_paths([f"{root}/{pattern}"], options=options)
        return
    found = expand_paths([f"{root}/{pattern}"], options=options)
    assert [url.removeprefix(root + "/") for url in found] == expected


def test_a_question_mark_is_a_pattern_in_stores_and_a_query_on_the_web(place):
    root, options = place
    found = expand_paths([f"{root}/set/train-?.tar"], options=options)
    assert len(found) == (1 if root.startswith("http") else 10)


def test_a_query_goes_along(web):
    web.objects |= {"set/?a=1&sig=b": b'<a href="a.tar?x">a</a> <a href="/b.tar">b</a>'}
    assert expand_paths([f"{web.url}/set/*.tar?a=1&sig=b"]) == [f"{web.url}/set/a.tar?a=1&sig=b"]
    with pytest.raises(SourceError, match=r"idx\?a=1&sig=\*\*\*'; there are a.tar"):
        expand_paths([f"{web.url}/set/*.idx?a=1&sig=b"])


def test_the_folder_of_the_pattern_must_be_there(place):
    root, options = place
    with pytest.raises(SourceError, match=r"there is no folder .*/nowhere/"):
        expand_paths([f"{root}/nowhere/*.tar"], options=options)


def test_a_server_that_is_down_is_no_empty_folder(web):
    web.always = "503"
    with pytest.raises(UnavailableError):
        expand_paths([f"{web.url}/set/*.tar"], options={"limits": {"attempts": 1}})


def test_an_object_of_that_very_name(s3):
    url = s3.put("odd/a[1].tar", b"")
    assert expand_paths([url], options=s3.options) == [url]


def test_readers_and_data_sets_take_patterns(s3):
    for number in range(3):
        s3.put(f"shards/a-{number}.tar", archive({f"{number}.cls": b"%d" % number}))
    pattern = "s3://bucket/shards/a-[12].tar"

    @pipeline_def(batch_size=2, num_threads=1)
    def define():
        return fn.readers.webdataset(
            paths=pattern, ext="cls", dtypes=[types.INT32], storage_options=s3.options
        )

    with define() as pipe:
        assert pipe.run()[0].as_array().ravel().tolist() == [1, 2]
    assert len(open_dataset(pattern, storage_options=s3.options)) == 2
