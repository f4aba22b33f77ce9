import numpy as np
import pytest

from penstock.engine.errors import DecodeError
from penstock.readers.lmdb.caffe2_samples import LabelType, TensorProtosParser
from penstock.testing.readers import assert_columns

from ..lmdb_samples import records_of, tensor, tensor_protos

IMAGE = tensor(4, strings=[b"a jpeg"])
CLASS = tensor(2, int32s=[5])


def parser(image=True, label_type=0, num_labels=6, additional=0, box=False):
    return TensorProtosParser(image, LabelType(label_type), num_labels, additional, box)


def parsed(*stored, **arguments):
    """Return the one sample that the tensors make."""
    columns = parser(**arguments)(records_of([tensor_protos(*stored)]))
    return tuple(column[0] for column in columns)


@pytest.mark.parametrize(
    ("label_type", "stored", "expected"),
    [
        (0, [CLASS], np.array([5], np.int32)),
        (0, [tensor(1, floats=[5.5])], np.array([5.5], np.float32)),
        (1, [tensor(2, int32s=[1, 3])], np.array([0, 1, 0, 1, 0, 0], np.int32)),
        (1, [tensor(1, floats=[1, 3])], np.array([0, 1, 0, 1, 0, 0], np.float32)),
        (1, [tensor(2)], np.zeros(6, np.int32)),
        (2, [tensor(1, floats=[1, 0.5])], np.array([1, 0.5], np.float32)),
        (2, [tensor(2, int32s=[1, -5, 3])], np.array([1, -5, 3], np.int32)),
        (
            3,
            [tensor(2, int32s=[1, 3]), tensor(1, floats=[0.5, 0.25])],
            np.array([0, 0.5, 0, 0.25, 0, 0], np.float32),
        ),
    ],
)
def test_labels(label_type, stored, expected):
    _, label = parsed(IMAGE, *stored, label_type=label_type)
    np.testing.assert_array_equal(label, expected, strict=True)


def test_tensors_that_follow_are_left_out():
    image, label = parsed(IMAGE, CLASS, tensor(2, int32s=[1, 2, 3, 4]))
    assert (image.tobytes(), label.tolist()) == (b"a jpeg", [5])
    (image,) = parsed(IMAGE, CLASS, label_type=4)
    assert image.tobytes() == b"a jpeg"


def test_without_an_image():
    (label,) = parsed(CLASS, image=False)
    assert label.tolist() == [5]


@pytest.mark.parametrize(
    ("stored", "arguments", "problem"),
    [
        ([], {}, "0 tensors, .* ask for 2"),
        ([IMAGE], {}, "1 tensors, .* ask for 2"),
        ([IMAGE, CLASS], {"box": True}, "2 tensors, .* ask for 3"),
        ([IMAGE, CLASS], {"label_type": 3}, "2 tensors, .* ask for 3"),
        ([CLASS, CLASS], {}, "an image of type INT32"),
        ([IMAGE, tensor(2, int32s=[1, 2])], {}, "2 labels, where one is needed"),
        ([IMAGE, tensor(10, int64s=[1])], {}, "labels of type INT64"),
        ([IMAGE, tensor(2, int32s=[6])], {"label_type": 1}, "label 6, where num_labels is 6"),
        ([IMAGE, tensor(2, int32s=[-1])], {"label_type": 1}, "label -1"),
        ([IMAGE, tensor(1, floats=[float("nan")])], {"label_type": 1}, "label nan"),
        ([IMAGE, CLASS, tensor(1)], {"label_type": 3}, "1 labels, but 0 weights"),
        ([IMAGE, CLASS, CLASS], {"label_type": 3}, "weights of type INT32"),
        ([IMAGE, CLASS, IMAGE], {"additional": 1}, "type STRING"),
        ([IMAGE, CLASS, CLASS], {"box": True}, "four numbers"),
        ([IMAGE, CLASS, tensor(1, floats=[1, 2, 3, 4])], {"box": True}, "four numbers"),
    ],
)
def test_what_does_not_fit_the_arguments_is_refused(stored, arguments, problem):
    with pytest.raises(DecodeError, match=problem):
        parsed(*stored, **arguments)


def usual(number):
    image = tensor(4, strings=[b"j" * number])
    return tensor_protos(image, tensor(2, dims=(1,), int32s=[3**number]))


@pytest.mark.parametrize(
    "other",
    [
        usual(300 % 19),
        tensor_protos(IMAGE, tensor(2, dims=(1,), int32s=[-1])),
        tensor_protos(IMAGE, tensor(1, floats=[1.5])),
        tensor_protos(IMAGE, tensor(2, int32s=[5])),
        tensor_protos(IMAGE, tensor(2, dims=(1,), int32s=[1, 2])),
        tensor_protos(IMAGE, tensor(2, dims=(1,), int32s=[])),
        tensor_protos(IMAGE, CLASS, CLASS),
        tensor_protos(IMAGE),
        tensor_protos(tensor(4, strings=[b"a", b"b"]), tensor(2, dims=(1,), int32s=[5])),
        tensor_protos(tensor(3, content=b"", dims=(0, 0)), CLASS),
    ],
)
@pytest.mark.parametrize("position", [0, 10])
def test_many_at_once_are_what_each_is_alone(other, position):
    messages = [usual(number) for number in range(20)]
    messages.insert(position, other)
    try:
        expected = [parser()(records_of([message])) for message in messages]
    except DecodeError:
        with pytest.raises(DecodeError):
            parser()(records_of(messages))
        return
    found = parser()(records_of(messages))
    assert_columns(found, [(image[0], label[0]) for image, label in expected])


def test_alike_messages_are_not_read_one_by_one(monkeypatch):
    monkeypatch.setattr(TensorProtosParser, "_one_by_one", None)
    assert len(parser()(records_of([usual(number) for number in range(20)]))) == 2
