"""`fn.readers.file`: what its arguments give."""

import pytest

from penstock import fn, pipeline_def
from penstock.engine.errors import ArgumentError


def run(**arguments):
    def define():
        return fn.readers.file(**arguments)

    with pipeline_def(define, batch_size=2, num_threads=1)() as pipe:
        contents, labels = pipe.run()
        return [row.tobytes() for row in contents.rows()], labels.as_array()[:, 0].tolist()


@pytest.fixture
def tree(tmp_path):
    for name in ("a/1.jpg", "b/2.JPG", "b/3.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(name.encode())
    (tmp_path / "list.txt").write_text("b/3.txt 7\na/1.jpg 8\n")
    return tmp_path


@pytest.mark.filterwarnings("ignore:.*left out are")
def test_three_ways_to_name_files(tree):
    assert run(file_root=str(tree)) == ([b"a/1.jpg", b"b/2.JPG"], [0, 1])
    files = ["b/3.txt", "a/1.jpg"]
    assert run(file_root=str(tree), files=files, labels=[4, 5]) == (
        [b"b/3.txt", b"a/1.jpg"],
        [4, 5],
    )
    assert run(file_root=str(tree), files=files, labels=[-1, -7])[1] == [-1, -7]
    assert run(file_list=str(tree / "list.txt")) == ([b"b/3.txt", b"a/1.jpg"], [7, 8])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "needs file_root, files, file_list or table"),
        ({"files": ["a"], "labels": [2**31]}, "labels"),
    ],
)
def test_arguments_that_do_not_fit(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        run(**arguments)


def test_the_names_of_classes(tmp_path):
    for name in ("cat", "dog", "eel"):
        (tmp_path / name).mkdir()
        if name != "dog":
            (tmp_path / name / "1.jpg").write_bytes(b"..")

    @pipeline_def(batch_size=1, num_threads=1)
    def reading(**where):
        return fn.readers.file(name="files", **where)[1]

    with reading(file_root=str(tmp_path)) as pipe:
        assert pipe.class_names() == {"files": {"label": ("cat", "", "eel")}}
    with reading(files=[str(tmp_path / "cat" / "1.jpg")]) as pipe:
        assert pipe.class_names() == {"files": {}}
