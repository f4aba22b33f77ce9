import numpy as np
import pytest

from penstock.engine.errors import DecodeError
from penstock.readers.lmdb.datum import Datum, DatumParser, picture
from penstock.readers.protobuf.columns import MIN_MESSAGES

from ..lmdb_samples import datum, records_of


def test_fields():
    parsed = Datum(datum(data=b"jpeg", label=7))
    assert (parsed.label, parsed.encoded) == (7, True)
    start, end = parsed.data
    assert datum(data=b"jpeg", label=7)[start:end] == b"jpeg"
    assert Datum(b"").data is None
    assert Datum(b"").label is None


@pytest.mark.parametrize("count", [1, MIN_MESSAGES])
@pytest.mark.parametrize(("image", "label"), [(True, True), (True, False), (False, True)])
def test_a_batch_gives_what_each_message_gives(count, image, label):
    values = [datum(data=b"x" * number, label=number) for number in range(count)]
    columns = DatumParser(image, label)(records_of(values))
    assert len(columns) == image + label
    if image:
        assert [view.tobytes() for view in columns[0]] == [b"x" * n for n in range(count)]
    if label:
        assert np.asarray(columns[-1]).tolist() == [[number] for number in range(count)]


def test_a_message_without_a_picture_raises():
    message = np.frombuffer(datum(label=1), np.uint8)
    with pytest.raises(DecodeError, match="this Datum holds no image"):
        picture(message, Datum(message.data))
