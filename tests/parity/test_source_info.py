"""The `source_info` of results, as DALI passes it from inputs to outputs."""

from functools import partial

import numpy as np
import pytest
from PIL import Image

from penstock import fn, pipeline_def, types

dali = pytest.importorskip("nvidia.dali")

CALLS = {
    "labels": lambda fn, types, a, b: b.labels,
    "of the second reader": lambda fn, types, a, b: b.images,
    "of one input": lambda fn, types, a, b: fn.crop(fn.resize(b.images, size=6), crop=[4, 4]),
    "of the shape": lambda fn, types, a, b: b.images.shape(),
    "an array's part": lambda fn, types, a, b: b.images[0],
    "with a constant": lambda fn, types, a, b: b.images + 1,
    "inputs that differ": lambda fn, types, a, b: fn.stack(a.images, b.images),
    "arithmetic that differs": lambda fn, types, a, b: a.images + b.images,
    "inputs that agree": lambda fn, types, a, b: fn.cat(b.images, fn.flip(b.images)),
    "one input without": lambda fn, types, a, b: fn.stack(
        b.images, fn.zeros(shape=[8, 8, 3], dtype=types.UINT8)
    ),
    "none": lambda fn, types, a, b: fn.random.uniform(range=[0.0, 1.0]),
    "arguments do not count": lambda fn, types, a, b: fn.brightness(
        b.images, brightness=fn.cast(fn.reshape(a.labels, shape=[]), dtype=types.FLOAT)
    ),
    "property": lambda fn, types, a, b: fn.get_property(b.images, key="source_info"),
    "user code": lambda fn, types, a, b: fn.python_function(b.images, function=lambda x: x),
    "permuted": lambda fn, types, a, b: fn.permute_batch(b.images, indices=[1, 0, 2, 2]),
    "permuted and combined": lambda fn, types, a, b: fn.stack(
        b.images, fn.permute_batch(b.images, indices=[0, 2, 1, 3])
    ),
    "pasted inputs": lambda fn, types, a, b: fn.multi_paste(
        a.images, fn.zeros(shape=[8, 8, 3], dtype=types.UINT8), b.images, output_size=[8, 8]
    ),
    "pasted samples": lambda fn, types, a, b: fn.multi_paste(
        b.images, in_ids=[2, 0, 2], output_size=[8, 8]
    ),
    "pasted by row": lambda fn, types, a, b: fn.multi_paste(
        b.images, in_ids=fn.cast(fn.cat(b.labels, a.labels), dtype=types.INT32), output_size=[8, 8]
    ),
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("folders")
    for name in "ab":
        for i in range(4):
            (root / name / str(i)).mkdir(parents=True)
            Image.new("RGB", (8, 8), (i, i, i)).save(root / name / str(i) / f"{name}{i}.png")
    return root


class Files:
    def __init__(self, fn, root):
        encoded, self.labels = fn.readers.file(file_root=str(root))
        self.images = fn.decoders.image(encoded)


def names(define, functions, kinds, root, call):
    def graph():
        return call(functions, kinds, Files(functions, root / "a"), Files(functions, root / "b"))

    pipe = define(batch_size=4, num_threads=1, device_id=None)(graph)()
    pipe.build()
    (data,) = pipe.run()
    return [data[i].source_info() for i in range(4)], [np.array(data[i]) for i in range(4)]


@pytest.mark.parametrize("name", CALLS)
def test_names_are_passed_on_as_dali_does(folders, name):
    sides = ((pipeline_def, fn, types), (dali.pipeline_def, dali.fn, dali.types))
    run = partial(names, root=folders, call=CALLS[name])
    (ours, data), (theirs, their_data) = (run(*side) for side in sides)
    assert ours == theirs
    assert name != "property" or [*map(bytes, data)] == [*map(bytes, their_data)]
