import numpy as np
import pytest

from penstock.engine.errors import SourceError
from penstock.readers.listing.listing import list_files

pytestmark = pytest.mark.filterwarnings("ignore:.*left out are")

NAMES = [
    *("dogs/b.jpg", "dogs/a.jpg", "dogs/notes.txt", "dogs/deeper/c.jpg", "cats/tom 1.JPG"),
    *("empty/readme.txt", "loose.jpg"),
]
EXPECTED = [("cats/tom 1.JPG", 0), ("dogs/a.jpg", 1), ("dogs/b.jpg", 1)]


def put_on_web(request):
    web = request.getfixturevalue("web")
    web.objects |= {f"train/{name.replace(' ', '%20')}": name.encode() for name in NAMES}
    return f"{web.url}/train", None, web, web.objects.__setitem__


def put_on_s3(request):
    s3 = request.getfixturevalue("s3")
    for name in NAMES:
        s3.put(f"train/{name.replace(' ', '%20')}", name.encode())
    return "s3://bucket/train", s3.options, s3.front, s3.put


@pytest.fixture(params=[put_on_web, put_on_s3])
def train(request):
    return request.param(request)


def listed(listing):
    names = [name.decode().replace("%20", " ") for name in listing.names]
    return list(zip(names, listing.labels.tolist(), strict=True))


def test_class_folders(train):
    root, options, *_ = train
    for url in (root, root + "/"):
        listing = list_files(file_root=url, storage_options=options)
        assert listed(listing) == EXPECTED
        assert listing.root == root.encode() + b"/"


@pytest.mark.filterwarnings("error")
def test_hidden_folders_are_left_out_and_said(train):
    root, options, _, put = train
    put("train/.ipynb_checkpoints/x.jpg", b"")
    said = r"hidden folders .*'\.ipynb_checkpoints'.*loose\.jpg.*dogs/deeper.*other endings \(2"
    with pytest.warns(RuntimeWarning, match=said):
        assert listed(list_files(file_root=root, storage_options=options)) == EXPECTED


def test_filters(train):
    root, options, *_ = train
    listing = list_files(
        file_root=root, storage_options=options, file_filters="*.txt", dir_filters=["e*", "dogs"]
    )
    assert listed(listing) == [("dogs/notes.txt", 0), ("empty/readme.txt", 1)]


def test_a_list_in_the_store(train):
    root, options, _, put = train
    put("train/list.txt", b"dogs/a.jpg 3\ncats/tom 1.JPG 1\n")
    listing = list_files(file_list=f"{root}/list.txt", storage_options=options)
    assert listed(listing) == [("dogs/a.jpg", 3), ("cats/tom 1.JPG", 1)]
    assert listing.paths(np.array([0]))[0] == f"{root}/dogs/a.jpg".encode()


def test_a_fault_that_passes(train):
    root, options, front, _ = train
    front.faults.extend(["503", "drop"])
    assert listed(list_files(file_root=root, storage_options=options)) == EXPECTED


def test_what_is_missing_is_named(train):
    root, options, *_ = train
    with pytest.raises(SourceError, match=r"no folder .*train/nowhere|holds no folder"):
        list_files(file_root=root + "/nowhere", storage_options=options)
    with pytest.raises(SourceError, match=r"no file matches .* in the 3 class folders"):
        list_files(file_root=root, storage_options=options, file_filters="*.webp")
    with pytest.raises(SourceError, match=r"none.txt' cannot be read"):
        list_files(file_list=root + "/none.txt", storage_options=options)
