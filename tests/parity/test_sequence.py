"""`fn.readers.sequence` against DALI's: order and pixels."""

import cv2
import numpy as np
import pytest

from penstock import fn, pipeline_def, types

dali = pytest.importorskip("nvidia.dali")

pytestmark = pytest.mark.filterwarnings("ignore:.*left out are")


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("films")
    random = np.random.default_rng(3)
    for stream, count in {"b": 5, "a": 4, "a-b": 3, "one": 1}.items():
        (root / stream).mkdir()
        pixels = random.integers(0, 255, (count, 16, 24, 3), np.uint8)
        for i, frame in enumerate(pixels):
            form = ("jpg", "PNG", "bmp")[i % 3]
            cv2.imwrite(str(root / stream / f"{i}.{form}"), cv2.GaussianBlur(frame, (5, 5), 2))
    (root / "a" / ".hidden.png").write_bytes(b"")
    (root / "top.png").write_bytes(b"")
    return str(root)


def batches(module, root, **arguments):
    @module(batch_size=2, num_threads=1, device_id=None)
    def pipeline():
        functions = dali.fn if module is dali.pipeline_def else fn
        return functions.readers.sequence(file_root=root, **arguments)

    built = pipeline()
    built.build()
    results = []
    for _ in range(6):
        (frames,) = built.run()
        assert frames.layout() == "FHWC"
        results.append([np.array(frames.at(i)) for i in range(2)])
    return results


@pytest.mark.parametrize("shard", [0, 1])
@pytest.mark.parametrize(
    "arguments",
    [
        {"sequence_length": 2},
        {"sequence_length": 2, "step": 2},
        {"sequence_length": 2, "stride": 2},
        {"sequence_length": 3, "step": 3},
        {"sequence_length": 1, "step": 4, "stride": 9},
    ],
)
def test_sequences(root, shard, arguments):
    given = {"shard_id": shard, "num_shards": 2, **arguments}
    ours, theirs = batches(pipeline_def, root, **given), batches(dali.pipeline_def, root, **given)
    np.testing.assert_array_equal(ours, theirs, strict=True)


@pytest.mark.parametrize("name", ["RGB", "BGR", "GRAY", "ANY_DATA"])
def test_color_spaces(root, name):
    ours = batches(pipeline_def, root, sequence_length=1, image_type=getattr(types, name))
    theirs = batches(
        dali.pipeline_def, root, sequence_length=1, image_type=getattr(dali.types, name)
    )
    if name == "GRAY":  # DALI's reader of BMP truncates the weighted sum, where ours rounds
        np.testing.assert_allclose(ours, theirs, atol=1, rtol=0, strict=True)
    else:
        np.testing.assert_array_equal(ours, theirs, strict=True)
