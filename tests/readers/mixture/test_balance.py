"""`fn.readers.balance`: parts by label, in equal shares or others."""

import numpy as np
import pytest

from penstock import Pipeline, fn, types
from penstock.engine.errors import ArgumentError

LABELS = np.array([5] * 30 + [2] * 8 + [9] * 2)


@pytest.fixture
def files(tmp_path):
    for i in range(40):
        (tmp_path / f"{i:02}").write_bytes(bytes([i]))
    return [str(tmp_path / f"{i:02}") for i in range(40)]


def _read(files, batches=20, batch_size=9, reader=None, **options):
    with Pipeline(batch_size=batch_size, num_threads=1) as pipe:
        given = reader or {"files": files, "labels": LABELS.tolist()}
        data, label, part = fn.readers.balance(fn.readers.file(**given), name="train", **options)
        pipe.set_outputs(data, label, part)
        rows = []
        for _ in range(batches):
            data, label, part = pipe.run()
            own = [int(row[0]) for row in data.rows()]
            rows.append(np.stack([own, label.as_array()[:, 0], part.as_array()], 1))
        return np.stack(rows), pipe.reader_meta("train")


def test_labels_have_equal_shares(files):
    rows, meta = _read(files, random_shuffle=True)
    assert [*meta["sources"]] == ["2", "5", "9"]
    for batch in rows:
        assert np.abs(np.bincount(batch[:, 2], minlength=3) - 3).max() < 2
    flat = rows.reshape(-1, 3)
    assert (LABELS[flat[:, 0]] == flat[:, 1]).all()
    assert (np.array([2, 5, 9])[flat[:, 2]] == flat[:, 1]).all()
    for label, size in ((2, 8), (5, 30), (9, 2)):
        own = flat[flat[:, 1] == label, 0][:size]
        assert len(set(own.tolist())) == size


@pytest.mark.parametrize(
    ("weights", "shares"),
    [
        ({2: 1, 5: 2, 9: 1}, [0.25, 0.5, 0.25]),
        ("sqrt", np.sqrt([8, 30, 2]) / np.sqrt([8, 30, 2]).sum()),
    ],
)
def test_other_shares(files, weights, shares):
    rows, _ = _read(files, 40, weights=weights)
    counts = np.bincount(rows[..., 2].reshape(-1))
    assert np.abs(counts / counts.sum() - shares).max() < 0.02


@pytest.mark.parametrize("by", [1, LABELS, LABELS.astype(str)])
def test_what_divides_the_samples(files, by):
    rows, _ = _read(files, by=by)
    assert (rows == _read(files)[0]).all()


def test_a_part_of_the_samples(files):
    given = {"files": files, "labels": LABELS.tolist(), "indices": np.arange(25, 40)}
    rows, meta = _read(files, reader=given)
    assert [each["samples"] for each in meta["sources"].values()] == [8, 5, 2]
    assert rows[..., 0].min() >= 25


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": "color"}, "knows no such column .*; there are label and bytes"),
        ({"max_bad": {"4": 0.5}}, "max_bad: there is no source '4'"),
        ({"by": 2}, "the reader has outputs 0 to 1"),
        ({"by": [1, 2]}, "for each of the 40 samples"),
        ({"weights": "root"}, "expected a dict, None or 'sqrt'"),
        ({"weights": {2: 1}}, "no number for the source '5'"),
        ({"weights": {3: 1}}, "no sample has the value '3'"),
    ],
)
def test_wrong_arguments_are_refused(files, options, message):
    with pytest.raises(ArgumentError, match=message):
        _read(files, **options)


def test_what_has_shares_is_not_balanced_again(files):
    with Pipeline(2, 1):
        mixed = fn.readers.mix({"a": fn.readers.file(files=files)})
        for given in (mixed, fn.readers.balance(fn.readers.file(files=files))):
            with pytest.raises(ArgumentError, match=r"have shares already: balance each source"):
                fn.readers.balance(given)


def test_an_output_that_is_no_number(files):
    (files_of_two := files[0])
    with open(files_of_two, "wb") as file:
        file.write(b"ab")
    with pytest.raises(ArgumentError, match="no number in each sample"):
        _read(files, by=0)


def _sizes(reader, **options):
    with Pipeline(2, 1) as pipe:
        pipe.set_outputs(*fn.readers.balance(reader(), name="train", **options))
        pipe.run()
        sources = pipe.reader_meta("train")["sources"]
    return {name: part["samples"] for name, part in sources.items()}


def test_columns_of_a_table(files, tmp_path):
    rows = [f"{i:02},{'ab'[i == 7]},{i % 4},n{i % 5},1" for i in range(40)]
    (tmp_path / "t.csv").write_text("\n".join(["file,kind,age,note,x", *rows]))

    def reader(**options):
        return fn.readers.file(
            files=files,
            table=str(tmp_path / "t.csv"),
            columns=["kind", "age", "note", ["x", "age"]],
            dtypes=[types.INT64, types.INT64, types.UINT8, types.INT64],
            **options,
        )

    assert _sizes(reader, by="kind") == {"a": 39, "b": 1}
    assert _sizes(reader, by="kind", weights={"a": 1, "b": 3}) == {"a": 39, "b": 1}
    assert _sizes(lambda: reader(indices=[7, 8, 9]), by="kind") == {"a": 2, "b": 1}
    assert _sizes(lambda: reader(class_names=["b", "a"]), by="kind") == {"a": 39, "b": 1}
    assert _sizes(reader, by="age") == dict.fromkeys("0123", 10)
    assert _sizes(reader, by="note") == {f"n{i}": 8 for i in range(5)}
    for options in ({}, {"by": "x"}):
        with pytest.raises(ArgumentError, match="there are kind, age, note and bytes"):
            _sizes(reader, **options)


def test_columns_of_parquet(tmp_path):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    columns = {"text": ["a", "b"], "list": [["a"], []], "gap": [1, None], "bytes": [b"a", b"b"]}
    parquet.write_table(pa.table(columns), tmp_path / "rows.parquet")

    def reader():
        return fn.readers.parquet(path=str(tmp_path / "rows.parquet"), columns=["bytes"])

    assert _sizes(reader, by="text") == {"a": 1, "b": 1}
    with pytest.raises(ArgumentError, match=r"no such column .*; there are text and gap\."):
        _sizes(reader, by="list")
    with pytest.raises(ArgumentError, match="has samples without a value in this column"):
        _sizes(reader, by="gap")


def test_labels_of_several_numbers_are_refused(files):
    with pytest.raises(ArgumentError, match=r"shape \(40, 2\); expected one number or text"):
        _sizes(lambda: fn.readers.file(files=files, labels=np.zeros((40, 2))))
