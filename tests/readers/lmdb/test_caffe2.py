import numpy as np
import pytest

from penstock import fn, pipeline_def
from penstock.engine.errors import ArgumentError
from penstock.readers.lmdb.caffe2_samples import LabelType, TensorProtosParser
from penstock.readers.lmdb.files import LMDBFiles
from penstock.readers.lmdb.reader import LMDBSource
from penstock.testing.readers import SourceConformance

from ..lmdb_samples import tensor, tensor_protos, write_lmdb

IMAGE = tensor(4, strings=[b"a jpeg"])
CLASS = tensor(2, int32s=[5])


def parser(image=True, label_type=0, num_labels=6, additional=0, box=False):
    return TensorProtosParser(image, LabelType(label_type), num_labels, additional, box)


class TestCaffe2Source(SourceConformance):
    """Image, weighted labels, two additional tensors and a box."""

    @pytest.fixture
    def source(self, tmp_path):
        messages = [
            tensor_protos(
                image,
                tensor(2, int32s=[number, 5]),
                tensor(1, floats=[0.5, 0.25]),
                tensor(10, int64s=[2**40 + number]),
                tensor(1, floats=range(number)),
                tensor(2, int32s=[1, 2, 3, number]),
            )
            for number, image in enumerate(
                [IMAGE, tensor(3, dims=(2, 3), content=b"pixels"), tensor(4, strings=[b""])]
            )
        ]
        env = write_lmdb(tmp_path / "env", messages)
        return LMDBSource(LMDBFiles([str(env)]), parser(label_type=3, additional=2, box=True))

    @pytest.fixture
    def files(self, source, tmp_path):
        return [tmp_path / "env" / "data.mdb"]

    def read(self, paths):
        return fn.readers.caffe2(
            path=paths, label_type=3, num_labels=6, additional_inputs=2, bbox=True
        )

    @pytest.fixture
    def expected(self):
        pictures = [
            np.frombuffer(b"a jpeg", np.uint8),
            np.frombuffer(b"pixels", np.uint8).reshape(2, 3, 1),
            np.empty(0, np.uint8),
        ]
        labels = np.zeros((3, 6), np.float32)
        labels[:, 5] = 0.25
        labels[range(3), range(3)] = 0.5
        return [
            (
                pictures[number],
                labels[number],
                np.array([2**40 + number]),
                np.arange(number, dtype=np.float32),
                np.array([1, 2, 3, number], np.int32),
            )
            for number in range(3)
        ]


def test_in_a_pipeline(tmp_path):
    box = tensor(2, int32s=[1, 2, 3, 4])
    env = write_lmdb(tmp_path / "env", [tensor_protos(IMAGE, CLASS, box)] * 2)

    @pipeline_def(batch_size=2, num_threads=1, device_id=None)
    def pipeline():
        return fn.readers.caffe2(path=env, bbox=True)

    with pipeline() as pipe:
        _, labels, boxes = pipe.run()
    assert labels.as_array().tolist() == [[5], [5]]
    assert boxes.as_array().tolist() == [[1, 2, 3, 4]] * 2


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"label_type": 5}, "label_type must be 0 to 4, but is 5"),
        ({"num_labels": -1}, "num_labels must not be negative"),
        ({"additional_inputs": -1}, "additional_inputs must not be negative"),
        ({"image_available": False, "label_type": 4}, "leave no output"),
    ],
)
def test_arguments_are_checked(arguments, problem):
    @pipeline_def(batch_size=1, num_threads=1, device_id=None)
    def pipeline():
        return fn.readers.caffe2(path="x", **arguments)

    with pytest.raises(ArgumentError, match=problem):
        pipeline()
