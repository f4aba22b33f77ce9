"""`list_files` and `FileSource` against DALI's `fn.readers.file`: order, labels and bytes."""

import os

import numpy as np
import pytest

from penstock.engine.errors import PenstockError
from penstock.readers.files.source import FileSource
from penstock.readers.listing.listing import KNOWN_EXTENSIONS, list_files

dali = pytest.importorskip("nvidia.dali")

pytestmark = pytest.mark.filterwarnings("ignore:.*left out are")

NAMES = [
    *("b/x.jpg", "b/X.JPG", "b/a b.png", "b/_.jpg", "b/Z.jpg", "b/10.jpg", "b/9.jpg", "B/é.jpg"),
    *("a/none.txt", "c/deep/n.jpg", "é/1.jpg", "top.jpg", "b/*.jpg"),
    *("zz/w.jpeg", "zz/nodot", "zz/u.JP2", "zz/u.tiff2", "zz/[x].jpg", "zz/f.jpg/inner.jpg"),
    *(f"ext/{i}{pattern[1:]}" for i, pattern in enumerate(KNOWN_EXTENSIONS[:10])),
    *("ext/q.mp4", "ext/q.npy"),
    b"b/\xff\xfe.jpg",
]


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    root = tmp_path_factory.mktemp("tree")
    for name in NAMES:
        path = os.path.join(os.fsencode(root), os.fsencode(name))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(b"content of " + os.fsencode(name))
    (root / "empty").mkdir()
    (root / "link").symlink_to("b")
    (root / "zz" / "link.jpg").symlink_to("../top.jpg")
    return root


def read_by_dali(**arguments):
    @dali.pipeline_def(batch_size=1, num_threads=1, device_id=None)
    def pipeline():
        content, label = dali.fn.readers.file(name="reader", **arguments)
        return content, label

    built = pipeline()
    built.build()
    samples = []
    for _ in range(built.epoch_size("reader")):
        content, label = (np.array(output[0]) for output in built.run())
        assert (label.dtype, label.shape) == (np.int32, (1,))
        samples.append((content.tobytes(), int(label[0])))
    return samples


def read_by_us(**arguments):
    source = FileSource(list_files(**arguments))
    contents, labels = source.read(np.arange(len(source)), np.empty)
    assert (labels.dtype, labels.shape) == (np.int32, (len(source), 1))
    return [(c.tobytes(), int(k)) for c, (k,) in zip(contents, labels, strict=True)]


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"case_sensitive_filter": True},
        {"file_filters": "*"},
        {"file_filters": ["?.jpg"]},
        {"file_filters": ["?.JPG", "*.Png"]},
        {"file_filters": ["*.jpg", "[xz]*", "x*"]},
        {"file_filters": ["[!x].jpg"]},
        {"file_filters": ["[^x-z]*.jpg"], "case_sensitive_filter": True},
        {"file_filters": ["[[:digit:]]*"]},
        {"file_filters": [r"\**", r"[[]*"]},
        {"file_filters": ["É*"]},
        {"dir_filters": "b"},
        {"dir_filters": "b", "case_sensitive_filter": True},
        {"dir_filters": ["[ab]", "?", "z*"]},
        {"dir_filters": [".*", "l*"], "file_filters": ["*"]},
    ],
)
def test_class_folders(tree, arguments):
    assert read_by_us(file_root=tree, **arguments) == read_by_dali(file_root=str(tree), **arguments)


@pytest.mark.parametrize(
    "text",
    [
        "x.jpg 3\na b.png 1\n",
        "x.jpg 3",
        "x.jpg\t3\n_.jpg \t 4\n",
        "x.jpg 3\r\na b.png 1\r\n",
        "\n  \nx.jpg 3   \n\n",
        "x.jpg 007\nx.jpg 2147483647\n",
        "../a/none.txt 5\n{root}/top.jpg 6\n",
        "x.jpg\v3\n",
        "x.jpg -1\n",
        "x.jpg +1\n",
        "x.jpg\n",
        "12\n",
        "x.jpg3\n",
        "x.jpg 1.5\n",
        "x.jpg cat\n",
        "x.jpg 1 2\n",
        "x.jpg ٣\n",
        "x.jpg\u00a03\n",
        " x.jpg 3\n",
        "# comment 3\n",
        "",
        "\n\n",
    ],
)
def test_list_files_are_taken_and_refused_alike(tree, text):
    path = tree / "b" / "list.txt"
    path.write_bytes(text.format(root=tree).encode())
    try:
        theirs = read_by_dali(file_list=str(path))
    except RuntimeError:
        with pytest.raises((PenstockError, FileNotFoundError)):
            read_by_us(file_list=path)
    else:
        assert read_by_us(file_list=path) == theirs
    finally:
        path.unlink()


def test_paths_of_a_list_file_below_a_root(tree, tmp_path):
    path = tmp_path / "list.txt"
    path.write_text(f"w.jpeg 5\n../b/x.jpg 0\n{tree}/top.jpg 1\n")
    arguments = {"file_list": str(path), "file_root": str(tree / "zz"), "file_filters": "*.foo"}
    assert read_by_us(**arguments) == read_by_dali(**arguments)


@pytest.mark.parametrize("labels", [None, [7, 2, 0]])
@pytest.mark.parametrize("root", [None, "zz"])
def test_files(tree, monkeypatch, labels, root):
    monkeypatch.chdir(tree / "b")
    files = ["../b/x.jpg", str(tree / "top.jpg"), "../b/x.jpg"]
    arguments = {"files": files} | ({} if labels is None else {"labels": labels})
    if root:
        arguments["file_root"] = str(tree / root)
    assert read_by_us(**arguments) == read_by_dali(**arguments)


def test_the_default_filters_hold_theirs(tmp_path):
    (tmp_path / "all").mkdir()
    for pattern in (*KNOWN_EXTENSIONS, "*.mp4", "*.npy", "*.txt"):
        (tmp_path / "all" / f"a{pattern[1:]}").write_text(pattern)
    kept = {content for content, _ in read_by_us(file_root=tmp_path)}
    theirs = {content for content, _ in read_by_dali(file_root=str(tmp_path))}
    assert theirs < kept == {pattern.encode() for pattern in KNOWN_EXTENSIONS}


def test_hidden_folders_are_classes_for_dali_alone(tmp_path):
    for name in (".ipynb_checkpoints/x.jpg", "cat/1.jpg", "cat/._1.jpg", "_dog_/2.jpg"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    theirs = dict(read_by_dali(file_root=str(tmp_path)))
    assert theirs == {
        b".ipynb_checkpoints/x.jpg": 0,
        b"_dog_/2.jpg": 1,
        b"cat/1.jpg": 2,
        b"cat/._1.jpg": 2,
    }
    assert read_by_us(file_root=str(tmp_path)) == [(b"_dog_/2.jpg", 0), (b"cat/1.jpg", 1)]
    named = {"dir_filters": [".*", "*"], "file_filters": [".*", "*"]}
    assert dict(read_by_us(file_root=str(tmp_path), **named)) == theirs
