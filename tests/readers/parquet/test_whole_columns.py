"""Columns of tables as lengths and labels, against PyArrow's and Python's own counts."""

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.engine.errors import ArgumentError

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

COUNTS = np.random.default_rng(1).integers(1, 40, 120).tolist()
TEXTS = ["é" * count for count in COUNTS]
ROWS = {
    "tokens": pa.array([[*range(count)] for count in COUNTS], pa.list_(pa.int32())),
    "text": pa.array(TEXTS),
    "named": pa.array(TEXTS).dictionary_encode(),
    "image": pa.array([{"bytes": bytes(count), "path": ""} for count in COUNTS]),
    "seconds": pa.array([count / 4 for count in COUNTS], pa.float32()),
    "talk": pa.array([[{"who": "a", "says": "b"}] * count for count in COUNTS]),
    "kind": pa.array(["cat" if count % 3 else "dog" for count in COUNTS]),
    "gap": pa.array([None if i == 7 else count for i, count in enumerate(COUNTS)]),
    "day": pa.array(COUNTS, pa.int32()).cast(pa.date32()),
}
TEXT_BYTES = [len(text.encode()) for text in TEXTS]


@pytest.fixture
def files(tmp_path):
    paths = [str(tmp_path / f"{name}.parquet") for name in "ab"]
    table = pa.table(ROWS)
    pq.write_table(table.slice(0, 70), paths[0], row_group_size=16)
    pq.write_table(table.slice(70), paths[1], row_group_size=50)
    return paths


def _costed(files, by, budget, **cost):
    pipe = Pipeline(64, 2)
    with pipe:
        cost = {"by": by, "budget": budget, "buckets": 4, **cost}
        (tokens,) = [
            fn.readers.parquet(path=files, columns=["tokens"], batch_cost=cost, name="rows")
        ]
        pipe.set_outputs(tokens)
    return pipe


@pytest.mark.parametrize(
    ("by", "lengths"),
    [
        ("tokens", COUNTS),
        ("text", TEXT_BYTES),
        ("named", TEXT_BYTES),
        ("image", COUNTS),
        ("seconds", [count / 4 for count in COUNTS]),
        ("talk", COUNTS),
    ],
)
def test_batches_by_a_column(files, by, lengths):
    budget = 4 * max(lengths)
    with _costed(files, by, budget) as pipe, _costed(files, np.array(lengths), budget) as other:
        assert pipe.reader_meta("rows") == other.reader_meta("rows")
        seen = []
        for _ in range(pipe.shard_sizes("rows")[0] // 64):
            (tokens,) = pipe.run()
            seen += [len(row) for row in tokens.rows()][: int(tokens.valid.sum())]
            assert [row.tolist() for row in tokens.rows()] == [
                row.tolist() for row in other.run()[0].rows()
            ]
        assert sorted(seen) == sorted(COUNTS)


@pytest.mark.parametrize(
    ("by", "message"),
    [
        ("gap", r"a\.parquet row 7 lacks a length: leave out"),
        ("day", "knows no 'day' of its samples"),
        ("color", "knows no 'color' of its samples"),
    ],
)
def test_columns_that_are_no_lengths_are_refused(files, by, message):
    with pytest.raises(ArgumentError, match=message), _costed(files, by, 99) as pipe:
        pipe.run()


@pytest.mark.parametrize("by", ["kind", "seconds"])
def test_rows_in_balance_by_a_column(files, by):
    with Pipeline(8, 1) as pipe:
        rows = fn.readers.parquet(path=files, columns=["kind", "seconds"])
        _, seconds, part = fn.readers.balance(rows, by=by, name="rows")
        pipe.set_outputs(seconds, part)
        counts = {"kind": 2, "seconds": len(set(COUNTS))}
        assert len(pipe.reader_meta("rows")["sources"]) == counts[by]
        seconds, part = (output.as_array() for output in pipe.run())
    if by == "kind":
        assert part.tolist() == [0, 1] * 4
        assert [bool(4 * second % 3) for second in seconds] == [True, False] * 4


@pytest.mark.parametrize(
    ("by", "problem"), [("tokens", "knows no such column"), ("gap", "has samples without a value")]
)
def test_rows_are_not_balanced_by_lists_or_gaps(files, by, problem):
    with Pipeline(8, 1) as pipe:
        rows = fn.readers.parquet(path=files, columns=["kind"])
        pipe.set_outputs(*fn.readers.balance(rows, by=by))
        with pytest.raises(ArgumentError, match=f"by='{by}': fn.readers.parquet {problem}"):
            pipe.build()
