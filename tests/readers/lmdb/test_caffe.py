import random

import numpy as np
import pytest

from penstock import fn, pipeline_def
from penstock.engine.errors import ArgumentError, DecodeError
from penstock.readers.lmdb.datum import Datum, DatumParser
from penstock.readers.lmdb.files import LMDBFiles
from penstock.readers.lmdb.reader import LMDBSource
from penstock.testing.readers import SourceConformance, assert_columns

from ..lmdb_samples import datum, records_of, write_lmdb
from ..protobuf_messages import field, varint

PIXELS = bytes(range(24))


def parsed(*messages, image=True, label=True):
    return DatumParser(image, label)(records_of(messages))


class TestCaffeSource(SourceConformance):
    @pytest.fixture
    def source(self, tmp_path):
        messages = [
            datum(data=b"a jpeg", label=7, encoded=True, shape=(9, 9, 3)),
            datum(data=b"another", label=-2),
            datum(data=PIXELS, label=2**31 - 1, encoded=False, shape=(2, 4, 3)),
            datum(floats=[1.5, -2.0], label=0, shape=(1, 2, 1)),
            datum(data=b"j" * 110_000, label=300, encoded=True),
        ]
        env = write_lmdb(tmp_path / "env", messages)
        return LMDBSource(LMDBFiles([str(env)]), DatumParser(True, True))

    @pytest.fixture
    def files(self, source, tmp_path):
        return [tmp_path / "env" / "data.mdb"]

    def read(self, paths):
        return fn.readers.caffe(path=paths)

    @pytest.fixture
    def expected(self):
        pictures = [
            np.frombuffer(b"a jpeg", np.uint8),
            np.frombuffer(b"another", np.uint8),
            np.frombuffer(PIXELS, np.uint8).reshape(2, 4, 3),
            np.array([1.5, -2], np.float32).reshape(1, 2, 1),
            np.full(110_000, ord("j"), np.uint8),
        ]
        labels = [7, -2, 2**31 - 1, 0, 300]
        return [
            (picture, np.array([label], np.int32))
            for picture, label in zip(pictures, labels, strict=True)
        ]


def test_columns_that_are_not_wanted_need_not_be_there():
    (pictures,) = parsed(datum(data=b"x"), label=False)
    assert pictures[0].tobytes() == b"x"
    (labels,) = parsed(datum(label=3), image=False)
    assert labels.tolist() == [[3]]


def test_fields_in_another_order_repeated_or_unknown():
    message = (
        field(7, 1) + field(5, 1) + field(99, b"unknown") + field(4, b"first") + field(5, 2)
        + field(4, b"last") + field(8, 5) + varint(100 << 3 | 1) + bytes(8)
    )  # fmt: skip
    pictures, labels = parsed(message)
    assert (pictures[0].tobytes(), labels.tolist()) == (b"last", [[2]])


def test_floats_may_be_packed():
    numbers = np.array([1, 2, 3], "<f4")
    message = field(6, numbers.tobytes()) + field(1, 1) + field(2, 1) + field(3, 3) + field(5, 0)
    pictures, _ = parsed(b"" + message)
    np.testing.assert_array_equal(pictures[0], numbers.reshape(1, 3, 1))


def test_labels_are_taken_from_the_low_32_bits():
    _, labels = parsed(*(datum(data=b"", label=label) for label in (2**40 + 3, -1, 2**31)))
    assert labels.ravel().tolist() == [3, -1, -(2**31)]


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        (b"", "no image"),
        (datum(label=1), "no image"),
        (datum(data=b"x"), "no label"),
        (datum(data=b"x", label=1, encoded=False), "0 high, 0 wide and has 0 channels"),
        (datum(data=PIXELS, label=1, encoded=False, shape=(5, 5, 1)), "holds 24 bytes"),
        (datum(data=b"x", label=1, encoded=False, shape=(-1, -1, 1)), "-1 high"),
        (datum(data=PIXELS, label=1, encoded=False, shape=(2**16, 2**16, 2**31 - 1)), "holds 24"),
        (datum(floats=[1.0], label=1, shape=(1, 2, 1)), "holds 4 bytes"),
        (field(6, b"12345"), "holds 5 bytes"),
        (b"\xff\xff\xff", "no whole number"),
        (b"\x22\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "field 4 ends at byte"),
        (b"\x22\x05abc", "field 4 ends at byte 7, its message at byte 5"),
        (b"\x08", "no whole number"),
        (b"\x00\x00", "field number 0"),
        (b"\x0b", "wire type 3"),
        (b"a value that is no message", "wire type 4"),
    ],
)
def test_what_is_no_datum_is_refused(message, problem):
    with pytest.raises(DecodeError, match=problem):
        parsed(message)


def test_a_bad_datum_among_good_ones_is_named(tmp_path):
    good = datum(data=b"x", label=1)
    env = write_lmdb(tmp_path / "env", [good, b"\xff", good])
    source = LMDBSource(LMDBFiles([str(env)]), DatumParser(True, True))
    with pytest.raises(DecodeError, match=r"data\.mdb at key 00000001: .* at byte 0 of"):
        source.read(np.arange(3), np.empty)


def test_changed_bytes_never_do_worse_than_an_error():
    whole = datum(data=PIXELS, label=300, encoded=False, shape=(2, 4, 3)) + datum(floats=[1.0])
    for seed in range(3000):
        draw = random.Random(seed)
        content = bytearray(whole)
        for _ in range(draw.choice([1, 1, 2, 8])):
            content[draw.randrange(len(content))] = draw.choice(
                [0, 1, 127, 128, 255, draw.randrange(256)]
            )
        del content[draw.choice([len(content), draw.randrange(len(content))]) :]
        try:
            found = Datum(bytes(content))
            assert found.data is None or found.data[1] <= len(content)
            pictures, _ = parsed(bytes(content))
            assert pictures[0].nbytes <= len(content)
        except DecodeError:
            continue


def usual(number, **changes):
    fields = {"data": b"j" * number, "label": 3**number, "encoded": True, "shape": (number, 3, 1)}
    return datum(**fields | changes)


@pytest.mark.parametrize(
    "other",
    [
        usual(300),
        usual(4, label=-1),
        usual(4, label=2**33),
        usual(4, data=b""),
        usual(4, data=bytes(12), encoded=False),
        usual(4, encoded=None),
        usual(4) + field(5, 6),
        datum(label=1) + datum(data=b"x"),
        datum(data=b"x", label=1),
        b"\xa8\x80" + usual(4),
        usual(4) + field(1, 0) * 40,
        datum(floats=[1.0] * 12, shape=(4, 3, 1), label=5),
    ],
)
@pytest.mark.parametrize("place", [0, 10, 20])
def test_many_at_once_are_what_each_is_alone(other, place):
    messages = [usual(number) for number in range(20)]
    messages.insert(place, other)
    try:
        expected = [parsed(message) for message in messages]
    except DecodeError:
        with pytest.raises(DecodeError):
            parsed(*messages)
        return
    pictures, labels = parsed(*messages)
    assert_columns((pictures, labels), [(p[0], n[0]) for p, n in expected])
    (pictures,) = parsed(*messages, label=False)
    assert_columns((pictures,), [(p[0],) for p, _ in expected])


def test_alike_messages_are_not_read_one_by_one(monkeypatch):
    monkeypatch.setattr(DatumParser, "_one_by_one", None)
    assert len(parsed(*(usual(number) for number in range(20)))) == 2


@pipeline_def(batch_size=2, num_threads=1, device_id=None)
def pipeline(**arguments):
    return fn.readers.caffe(name="reader", **arguments)


def test_in_a_pipeline(tmp_path):
    messages = [datum(data=b"%d" % number, label=number) for number in range(2)]
    env = write_lmdb(tmp_path / "env", messages)
    with pipeline(path=[str(env)]) as pipe:
        pictures, labels = pipe.run()
    assert labels.as_array().tolist() == [[0], [1]]
    assert bytes(pictures.at(1)) == b"1"
    with pipeline(path=[str(env)], image_available=False) as pipe:
        (labels,) = pipe.run()
    assert labels.as_array().tolist() == [[0], [1]]


def test_no_output_at_all_is_refused():
    with pytest.raises(ArgumentError, match="leaves no output"):
        pipeline(path="x", image_available=False, label_available=False)
