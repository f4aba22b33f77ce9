"""`fn.readers.pack`: rows of tokens, with where each sample is."""

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.engine.errors import ArgumentError, CheckpointError, DecodeError

LENGTHS = np.random.default_rng(4).integers(1, 60, 120)


@pytest.fixture
def files(tmp_path):
    for i, length in enumerate(LENGTHS.tolist()):
        np.save(tmp_path / f"{i:03}.npy", np.arange(length, dtype=np.int32) + 1000 * i)
    return [str(tmp_path / f"{i:03}.npy") for i in range(len(LENGTHS))]


def _pipe(files, batch_size=4, checkpoint=None, on_error="raise", indices=None, **options):
    pipe = Pipeline(batch_size, 1, checkpoint=checkpoint, on_error=on_error)
    with pipe:
        arrays = fn.readers.numpy(files=files, indices=indices)
        pipe.set_outputs(*fn.readers.pack(arrays, length=64, name="rows", **options))
    return pipe


def _check(tokens, bounds, positions, samples, align=1):
    numbers = []
    for row, valid in enumerate(tokens.valid.tolist()):
        own, ends = samples.rows()[row], bounds.rows()[row].tolist()
        assert len(ends) == len(own) + 1
        for number, start in zip(own.tolist(), ends, strict=False):
            length = int(LENGTHS[number])
            assert start % align == 0
            place = slice(start, start + length)
            assert tokens.as_array()[row, place].tolist() == [
                *range(1000 * number, 1000 * number + length)
            ]
            assert positions.as_array()[row, place].tolist() == [*range(length)]
        numbers += own.tolist() if valid else []
    return numbers


@pytest.mark.parametrize("options", [{}, {"align": 8}, {"lengths": LENGTHS}])
def test_each_sample_comes_once(files, options):
    with _pipe(files, 1, random_shuffle=True, **options) as pipe:
        seen = []
        for _ in range(pipe.epoch_size("rows")):
            seen += _check(*pipe.run(), align=options.get("align", 1))
        assert pipe.reader_meta("rows")["fill"] > (0.8 if options.get("align") else 0.95)
    assert sorted(seen) == [*range(120)]


def test_another_number_of_ranks_goes_on(files):
    seen = []
    for rank in range(3):
        with _pipe(files, 2, random_shuffle=True, shard_id=rank, num_shards=3) as pipe:
            seen += [number for _ in range(2) for number in _check(*pipe.run())]
            saved = pipe.checkpoint()
    with _pipe(files, 1, saved, random_shuffle=True) as pipe:
        for _ in range(pipe.epoch_size("rows") - 12):
            seen += _check(*pipe.run())
    assert sorted(seen) == [*range(120)]
    with (
        _pipe(files[:-1], 1, saved, random_shuffle=True) as pipe,
        pytest.raises(CheckpointError),
    ):
        pipe.run()


def test_a_part_of_the_samples(files):
    with _pipe(files, 1, indices=np.arange(30, 60)) as pipe:
        seen = [n for _ in range(pipe.epoch_size("rows")) for n in _check(*pipe.run())]
    assert sorted(seen) == [*range(30, 60)]


def test_a_sample_of_another_length_is_bad(files):
    with (
        _pipe(files, 120, lengths=np.maximum(LENGTHS - 1, 1)) as pipe,
        pytest.raises(DecodeError, match="its length was"),
    ):
        pipe.run()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lengths": [1, 2]}, "a whole number for each of the 120 samples"),
        (
            {"lengths": np.where(np.arange(120) == 59, 70, LENGTHS), "indices": range(10, 120)},
            r"sample 59, \S+059.npy, takes 70 of a row of 64: raise .* indices= of fn.*numpy",
        ),
        (
            {"lengths": [70, 65, *[1] * 118]},
            r"sample 0, \S+000.npy, takes 70 of a row of 64, and so does 1 other: raise",
        ),
        (
            {"lengths": np.where(np.arange(120) == 59, 0, LENGTHS)},
            r"sample 59, \S+059.npy, is empty: leave out such samples by indices= of fn.*numpy",
        ),
        (
            {"lengths": np.where(np.arange(120) % 50 == 9, 0, LENGTHS), "indices": range(10, 120)},
            "059.npy, is empty, and so is 1 other: leave",
        ),
        ({"lengths": np.maximum(LENGTHS - 59, 0)}, r"is empty, and so are \d+ others: leave"),
        ({"batch_cost": {"by": "x", "budget": 1}}, "batches of as many rows have equal cost"),
        ({"indices": lambda epoch: [epoch]}, "indices is a function"),
        ({"storage_options": {"anon": True}}, "give it to the reader that is packed"),
    ],
)
def test_wrong_arguments_are_refused(files, options, message):
    with pytest.raises(ArgumentError, match=message), _pipe(files, **options) as pipe:
        pipe.run()


@pytest.mark.parametrize(("long", "align"), [("split", 1), ("split", 8), ("truncate", 1)])
def test_samples_that_are_longer_than_a_row(files, long, align):
    row = 20  # with align=8 a part has 16 elements
    with Pipeline(3, 1) as pipe:
        arrays = fn.readers.numpy(files=files)
        options = {"long": long, "align": align, "random_shuffle": True}
        pipe.set_outputs(*fn.readers.pack(arrays, length=row, name="rows", **options))
        found = []
        for _ in range(-(-pipe.epoch_size("rows") // 3) + 1):
            tokens, bounds, positions, samples = pipe.run()
            for i, ends in enumerate(bounds.rows()):
                if len(found) < pipe.epoch_size("rows"):
                    found.append((tokens.as_array()[i], ends, positions.as_array()[i]))
                    assert len(samples.rows()[i]) == len(ends) - 1
    values = []
    for tokens, ends, positions in found:
        for start, stop in zip(ends.tolist(), ends[1:].tolist(), strict=False):
            own = tokens[start:stop]
            filled = positions[start:stop] == np.arange(len(own))
            assert filled[0]
            length = int(np.argmin(np.append(filled, False)))
            values += own[:length].tolist()
    most = 1000 if long == "split" else row
    expected = [1000 * i + j for i, n in enumerate(LENGTHS.tolist()) for j in range(min(n, most))]
    if align == 1:
        assert sorted(values) == expected
    else:  # sample 0 begins with the value of what fills up
        assert sorted(set(values)) == expected


def _mixture(files, **options):
    sources = {"a": files[:50], "b": files[50:]}
    return fn.readers.mix({k: fn.readers.numpy(files=own) for k, own in sources.items()}, **options)


def test_rows_of_a_mixture_have_each_sample_once(files):
    with Pipeline(1, 1) as pipe:
        mixed, _ = _mixture(files)
        pipe.set_outputs(*fn.readers.pack(mixed, length=64, random_shuffle=True, name="rows"))
        seen = [n for _ in range(pipe.epoch_size("rows")) for n in _check(*pipe.run())]
    assert sorted(seen) == [*range(120)]


@pytest.mark.parametrize(
    ("reader", "message"),
    [
        (
            lambda files: _mixture(files, weights=[7, 3], epoch_size=900),
            "weights of fn.readers.mix",
        ),
        (lambda files: _mixture(files, repeats={"a": 2}), "repeats of fn.readers.mix"),
        (lambda files: _mixture(files, choose={"a": 20}), "choose of fn.readers.mix"),
        (lambda files: _mixture(files, per_batch=[3, 1]), "per_batch of fn.readers.mix"),
        (
            lambda files: fn.readers.mix({"c": _mixture(files, weights=[7, 3])[:1]}),
            "weights of fn.readers.mix",
        ),
        (
            lambda files: fn.readers.balance(fn.readers.numpy(files=files), by=LENGTHS % 2),
            "the shares of fn.readers.balance",
        ),
        (lambda files: _mixture(files, max_bad={"a": 0.1}), "max_bad, .*: leave it out"),
    ],
)
def test_shares_of_samples_are_no_shares_of_rows(files, reader, message):
    with Pipeline(4, 1), pytest.raises(ArgumentError, match=message):
        fn.readers.pack(reader(files)[0], length=64)


@pytest.mark.parametrize("rule", [{"weights": [3, 1]}, {"per_batch": [3, 1]}])
def test_rows_are_mixed(files, rule):
    with Pipeline(4, 1) as pipe:
        packs = {
            name: fn.readers.pack(fn.readers.numpy(files=own), length=64)
            for name, own in (("a", files[:50]), ("b", files[50:]))
        }
        *_, source = fn.readers.mix(packs, random_shuffle=True, **rule)
        pipe.set_outputs(source)
        for _ in range(20):
            assert np.bincount(pipe.run()[0].as_array()).tolist() == [3, 1]
