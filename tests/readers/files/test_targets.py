"""`fn.readers.file` with labels of any type, with a table, and with parts of a data set."""

import numpy as np
import pytest

from penstock import fn, pipeline_def, types
from penstock.engine.errors import ArgumentError, SourceError
from penstock.readers.listing import table_targets

TABLE = "id,x,y,breed,note\n" + "".join(
    f"{n},{n / 2},{n},{'pug' if n % 2 else 'lab'},note {n}\n" for n in range(10)
)


@pytest.fixture
def photos(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "img").mkdir()
    for number in range(10):
        (tmp_path / "img" / f"{number}.jpg").write_text(str(number))
    (tmp_path / "t.csv").write_text(TABLE)
    return tmp_path


@pipeline_def(batch_size=2, num_threads=1)
def reading(**arguments):
    return tuple(fn.readers.file(name="r", **arguments))


def epoch(batches=5, **arguments):
    """Return what the files hold, and the other outputs, of some batches; and the class names."""
    with reading(**arguments) as pipe:
        runs = [pipe.run() for _ in range(batches)]
        names = [row.tobytes().decode() for contents, *_ in runs for row in contents.rows()]
        others = zip(*[[o.as_array() for o in rest] for _, *rest in runs], strict=True)
        return names, [np.concatenate(column) for column in others], pipe.class_names()["r"]


FILES = [f"img/{n}.jpg" for n in range(4)]


@pytest.mark.parametrize(
    ("labels", "dtype", "shape"),
    [
        ([0.5, 1.5, 2.5, 3.5], np.float32, (1,)),
        (np.arange(4.0), np.float64, (1,)),
        (np.arange(4, dtype=np.uint8), np.int32, (1,)),
        ([True, False, True, False], np.bool_, (1,)),
        ([[1.0, 2.0]] * 4, np.float32, (2,)),
        (np.eye(4, 3, dtype=np.uint8), np.uint8, (3,)),
        (np.arange(4)[:, np.newaxis] << 40, np.int64, (1,)),
    ],
)
def test_labels_of_any_type(photos, labels, dtype, shape):
    names, (given,), _ = epoch(2, files=FILES, labels=labels)
    assert names == [*"0123"]
    assert (given.dtype, given.shape) == (dtype, (4, *shape))
    np.testing.assert_array_equal(given, np.reshape(labels, (4, *shape)).astype(dtype))


def test_texts_become_numbers(photos):
    labels = ["dog", "cat", "dog", "eel"]
    _, (numbers,), classes = epoch(2, files=FILES, labels=labels)
    assert (numbers.dtype, numbers.tolist()) == (np.int32, [[1], [0], [1], [2]])
    assert classes == {"label": ("cat", "dog", "eel")}
    order = ["eel", "dog", "cat", "fox"]
    _, (numbers,), classes = epoch(2, files=FILES, labels=labels, class_names=order)
    assert (numbers.ravel().tolist(), classes) == ([1, 2, 1, 0], {"label": tuple(order)})
    with pytest.raises(ArgumentError, match=r"`labels\[3\]` is 'eel', which is none of the 2"):
        epoch(2, files=FILES, labels=labels, class_names=["cat", "dog"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"labels": [[1], [2, 3]]}, "its rows differ in length"),
        ({"labels": [object()] * 4}, "neither numbers nor texts"),
        ({"labels": [1, 2, 3]}, "one row for each of the 4 `files`, but has 3"),
        ({"labels": [*range(3), 1 << 40]}, r"`labels\[3\]` is 1099511627776"),
        ({"labels": [1] * 4, "class_names": ["a"]}, "numbers already"),
        ({"class_names": ["a"]}, "none is given"),
        ({"labels": ["a"] * 4, "class_names": ["a", "a"]}, "a name twice"),
        ({"table": "t.csv"}, "table and columns belong together"),
        ({"columns": "x"}, "table and columns belong together"),
        ({"table": "t.csv", "columns": "x", "labels": [1] * 4}, "give one of them"),
        ({"dtypes": types.FLOAT}, "dtypes belongs to table"),
        ({"split": "train"}, "split needs split_by, such as split_by=0.9"),
        ({"split_by": 0.9}, "split_by needs split, such as split='train'"),
        ({"split": "train", "split_by": "x"}, "is a column of table"),
        ({"split": "trian", "split_by": 0.9}, "no part 'trian'; did you mean 'train'"),
        ({"table": "t.csv", "columns": "breeds"}, "no column 'breeds'; did you mean 'breed'"),
        ({"table": "t.csv", "columns": [["x", "breed"]]}, "'breed' holds texts"),
        ({"table": "t.csv", "columns": "x", "dtypes": types.INT64}, "line 3: 0.5 in the column"),
        ({"table": "t.csv", "columns": []}, "not names of columns"),
        ({"table": "t.csv", "columns": "x", "dir_filters": "a*"}, "dir_filters finds class folder"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*belong to no listed file")
def test_arguments_that_do_not_fit(photos, arguments, message):
    with pytest.raises((ArgumentError, SourceError), match=message):
        epoch(files=FILES, **arguments)


def test_texts_that_are_no_classes(photos, tuned):
    tuned(table_targets, SMALL_TABLE=9)
    with pytest.raises(ArgumentError, match=r"each row has another text.*types\.UINT8"):
        epoch(file_root="img", table="t.csv", columns="note")


def test_messages_show_some_of_many_labels(photos):
    with pytest.raises(ArgumentError) as raised:
        epoch(files=["a"] * 5000, labels=[None] * 5000)
    assert "of length 5000" in str(raised.value)
    assert len(str(raised.value)) < 400


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_the_rows_of_a_table_name_the_files(photos, kind):
    table = "t.csv"
    if kind == "parquet":
        csv = pytest.importorskip("pyarrow.csv")
        parquet = pytest.importorskip("pyarrow.parquet")
        parquet.write_table(csv.read_csv("t.csv"), "t.parquet")
        table = "t.parquet"
    columns = ["breed", ["x", "y"], "note", "y"]
    dtypes = [types.INT64, types.FLOAT, types.UINT8, types.FLOAT16]
    with reading(file_root="img", table=table, columns=columns, dtypes=dtypes) as pipe:
        content, breeds, places, notes, halves = pipe.run()
        assert pipe.class_names() == {"r": {"breed": ("lab", "pug")}}
        assert pipe.epoch_size("r") == 10
    assert [bytes(row) for row in content.rows()] == [b"0", b"1"]
    assert (breeds.as_array().dtype, breeds.as_array().tolist()) == (np.int64, [[0], [1]])
    assert places.as_array().tolist() == [[0.0, 0.0], [0.5, 1.0]]
    assert [bytes(row) for row in notes.rows()] == [b"note 0", b"note 1"]
    assert (halves.as_array().dtype, halves.as_array().tolist()) == (np.float16, [[0], [1]])


def test_a_table_beside_its_files(photos):
    (photos / "img" / "deep").mkdir()
    (photos / "img" / "deep" / "d.PNG").write_text("d")
    (photos / "img" / "labels.csv").write_text("file\tage\ndeep/d.PNG\t4\n1.jpg\t5\n")
    with pytest.warns(RuntimeWarning, match=r"9 of 11 files have no row.*'0.jpg', '2.jpg'"):
        names, (ages,), _ = epoch(1, table=str(photos / "img" / "labels.csv"), columns="age")
    assert (names, ages.tolist()) == (["d", "1"], [[4], [5]])
    (photos / "img" / "labels.csv").write_text(f"file,age\n{photos}/img/3.jpg,4\n")
    names, (ages,), _ = epoch(1, table="img/labels.csv", columns="age")
    assert names == ["3", "3"]


@pytest.mark.parametrize("form", ["{n}", "{n}.jpg", "img/{n}.jpg", "img/{n}"])
def test_listed_files_find_their_rows(photos, form):
    rows = "".join(f"{form.format(n=n)},{n + 10}\n" for n in range(9, -1, -1))
    (photos / "t.csv").write_text("name,value\n" + rows)
    files = [f"img/{n}.jpg" for n in range(10)]
    assert epoch(files=files, table="t.csv", columns="value")[1][0].ravel().tolist() == [
        *range(10, 20)
    ]
    (photos / "list.txt").write_text("img/7.jpg\nimg/2.jpg\n")
    with pytest.warns(RuntimeWarning, match=r"8 of 10 rows belong to no listed file: '.*9"):
        names, (values,), _ = epoch(1, file_list="list.txt", table="t.csv", columns="value")
    assert (names, values.ravel().tolist()) == (["7", "2"], [17, 12])


@pytest.mark.parametrize(
    ("rows", "more", "message"),
    [
        ("0.jpg,1\nno.jpg,2\n", {}, r"1 of 2 rows have no file: 'no.jpg' \(line 3\)"),
        ("0.jpg,1\n1.jpg,2\n0.jpg,3\n", {}, r"more than once.*'0.jpg' in line 2 and line 4"),
        ("0,1\n2,2\n", {"files": FILES}, r"2 of 4 files have no row.*'img/1.jpg', 'img/3.jpg'"),
        ("x,1\n", {"files": FILES}, r"4 of 4 files .*the table names 'x'"),
    ],
)
def test_files_and_rows_that_do_not_fit(photos, rows, more, message):
    (photos / "t.csv").write_text("name,value\n" + rows)
    with pytest.raises(SourceError, match=message):
        epoch(**({"file_root": "img"} | more), table="t.csv", columns="value")


def test_a_name_without_ending_that_two_files_have(photos):
    (photos / "img" / "0.png").touch()
    with pytest.raises(SourceError, match=r"'0' names two files, '0.jpg' and '0.png'"):
        epoch(file_root="img", table="t.csv", columns="x")


def test_names_number_class_folders(photos):
    for folder in ("cats", "dogs"):
        (photos / folder).mkdir()
        (photos / folder / "0.jpg").write_text(folder)
    given = {"file_root": ".", "dir_filters": "*s"}
    order = ["dogs", "eels", "cats"]
    names, (labels,), classes = epoch(1, **given, class_names=order)
    assert [order[label] for label in labels.ravel()] == [name.split("/")[0] for name in names]
    assert classes == {"label": tuple(order)}
    with pytest.raises(ArgumentError, match=r"folder 'cats' in \S+ is none of the 1 `class_names`"):
        epoch(**given, class_names=["dogs"])


def test_parts(photos):
    (photos / "cats").mkdir()
    (photos / "dogs").mkdir()
    for number in range(60):
        for folder in ("cats", "dogs"):
            (photos / folder / f"{number}.jpg").write_text(f"{folder}/{number}")
    found = {}
    for split in ("train", "val"):
        with reading(file_root=".", dir_filters="*s", split=split, split_by=0.8) as pipe:
            found[split] = pipe.epoch_size("r")
            assert pipe.class_names() == {"r": {"label": ("cats", "dogs")}}
        names, (labels,), _ = epoch(
            found[split] // 2, file_root=".", dir_filters="*s", split=split, split_by=0.8
        )
        assert [["cats", "dogs"].index(n.split("/")[0]) for n in names] == labels.ravel().tolist()
        found[split] = found[split], set(names)
    assert found["train"][0] + found["val"][0] == 120
    assert 85 <= found["train"][0] <= 107
    assert not found["train"][1] & found["val"][1]


def test_a_column_names_the_parts(photos):
    (photos / "t.csv").write_text(
        "id,breed,part\n0,pug,train\n1,lab,val\n2,lab,train\n3,eskimo,test\n"
    )
    arguments = {"file_root": "img", "table": "t.csv", "columns": "breed", "split_by": "part"}
    with pytest.warns(RuntimeWarning, match="6 of 10 files have no row"):
        names, (breeds,), classes = epoch(1, split="train", **arguments)
    assert (names, breeds.ravel().tolist()) == (["0", "2"], [2, 1])
    assert classes == {"breed": ("eskimo", "lab", "pug")}  # the same numbers in all parts


def test_arrays_have_parts(photos):
    for number in range(40):
        np.save(photos / "img" / f"{number}.npy", np.array([number]))

    @pipeline_def(batch_size=1, num_threads=1)
    def arrays(split):
        return fn.readers.numpy(
            name="r", file_root="img", file_filter="*.npy", split=split, split_by=0.5
        )

    found = []
    for split in ("train", "val"):
        with arrays(split) as pipe:
            found += [int(pipe.run()[0].as_array()[0, 0]) for _ in range(pipe.epoch_size("r"))]
    assert sorted(found) == [*range(40)]


@pytest.mark.parametrize("ranks", [1, 3])
def test_resume_and_shards_with_targets(photos, ranks):
    """Of an epoch that two ranks began, any number of ranks reads each remaining sample once."""
    arguments = {"file_root": "img", "table": "t.csv", "columns": ["y"], "random_shuffle": True}

    @pipeline_def(batch_size=1, num_threads=1)
    def shard(shard_id, num_shards):
        return tuple(
            fn.readers.file(name="r", shard_id=shard_id, num_shards=num_shards, **arguments)
        )

    seen, states = [], []
    for rank in range(2):
        with shard(rank, 2) as pipe:
            for _ in range(2):
                content, targets = pipe.run()
                assert bytes(content.at(0)).decode() == str(targets.as_array()[0, 0])
                seen.append(int(targets.as_array()[0, 0]))
            states.append(pipe.checkpoint())
    for rank in range(ranks):
        with shard(rank, ranks, checkpoint=states[0]) as pipe:
            seen += [int(pipe.run()[1].as_array()[0, 0]) for _ in range(6 // ranks)]
    assert sorted(seen) == [*range(10)]
