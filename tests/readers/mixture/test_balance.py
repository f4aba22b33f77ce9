"""`fn.readers.balance`: parts by label, in equal shares or others."""

import numpy as np
import pytest

from penstock import Pipeline, fn
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
        ({"by": "color"}, "knows no such column"),
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
