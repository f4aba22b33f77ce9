"""Programs for NVIDIA DALI: operators, arithmetic, and the batches that come out.

See `scripts_pipelines`.
"""

from __future__ import annotations

OPERATORS = {
    "methods of batches": """
import ctypes
import numpy as np
from nvidia.dali import fn, pipeline_def, types
from nvidia.dali.backend import TensorListCPU
from nvidia.dali.tensors import TensorCPU

@pipeline_def(batch_size=3, num_threads=1, device_id=None)
def pipeline():
    x = types.Constant(np.arange(6, dtype=np.uint16).reshape(1, 2, 3), device="cpu", layout="HWC")
    return x, x[0] + 0.5, fn.external_source(
        source=lambda: [np.ones(k + 1, np.int8) for k in range(3)])

pipe = pipeline()
pipe.build()
x, y, ragged = pipe.run()
keep(x.as_array(), x.at(1), np.array(x[2]), np.array(x.as_tensor()), len(x), x.shape(), x.dtype)
keep(np.asarray(y.as_reshaped_tensor([9, 2])), y.is_dense_tensor(), ragged.is_dense_tensor())
keep(x.layout(), x.as_tensor().layout(), x.as_tensor().shape(), x[0].shape(), x[0].layout())
keep(isinstance(x, TensorListCPU), isinstance(x[0], TensorCPU))
keep([np.array(t) for t in ragged], ragged.shape(), ragged.at(2), ragged.as_cpu())
keep(np.from_dlpack(x.as_tensor()), np.from_dlpack(x[1]))
keep(x.ndim() if callable(x.ndim) else x.ndim, x.as_tensor().dtype, x[0].dtype)
target = np.zeros((3, 1, 2, 3), np.uint16)
x.copy_to_external(ctypes.c_void_p(target.ctypes.data))
keep(target)
own = TensorListCPU(np.arange(12, dtype=np.float32).reshape(3, 4), layout="W")
keep(own, own.shape(), own.layout(), TensorCPU(np.ones((2, 2)), "HW"))
keep(TensorListCPU([np.ones(2, np.uint8), np.zeros(3, np.uint8)]))
""",
    "arithmetic": """
import numpy as np
from nvidia.dali import fn, math, pipeline_def, types

@pipeline_def(batch_size=2, num_threads=1, device_id=None)
def pipeline():
    i = fn.external_source(source=lambda: [np.array([1, 7, 250], np.uint8)] * 2)
    f = fn.external_source(source=lambda: [np.array([0.25, 4, 9], np.float32)] * 2)
    return (
        i + 1, i * 2.5, i - f, i / 2, i // 4, -f, i ** 2, i > 5, (i > 5) & (i < 100), i ^ 3,
        math.sqrt(f), math.abs(i - 9), math.max(i, 5), math.min(f, 1.0), math.clamp(i, 2, 200),
        math.floor(f), math.ceil(f), math.exp(f), math.log(f), math.pow(f, 2), math.atan2(f, i),
        math.rsqrt(f), math.fpow(i, 0.5), abs(i - types.Constant(9).int32()),
        i * types.Constant(3, dtype=types.FLOAT), types.Constant(2).uint8() + i, i == 7, i != 7,
        f * np.float32(2), 1 - f, 2 / f, i + np.array([1, 2, 3], np.int32),
    )

pipe = pipeline()
pipe.build()
keep(*pipe.run())
""",
    "slices of data": """
import numpy as np
from nvidia.dali import fn, newaxis, pipeline_def

@pipeline_def(batch_size=2, num_threads=1, device_id=None)
def pipeline():
    x = fn.external_source(source=lambda: [np.arange(60).reshape(4, 5, 3)] * 2, layout="HWC")
    begin = fn.external_source(source=lambda: [np.array(1), np.array(2)])
    s = x.shape()
    return (
        x[0], x[-1], x[1:3], x[:, 1:, 0], x[:, :, 0], x[begin:], x[0, begin],
        x[:, ::1], s[0], s[1] - 1, x[newaxis, 0], x[:, 0, newaxis],
        x[:-1, 1:-1], s, x[x.shape()[0] - 1],
    )

pipe = pipeline()
pipe.build()
keep(*pipe.run())
""",
    "constants": """
import numpy as np
from nvidia.dali import fn, pipeline_def, types
from nvidia.dali.types import Constant, DALIDataType, DALIImageType, DALIInterpType

@pipeline_def(batch_size=2, num_threads=1, device_id=None)
def pipeline():
    return (
        types.Constant(3), types.Constant([1, 2]), types.Constant(1.5, dtype=types.FLOAT16),
        Constant(np.arange(3, dtype=np.int16)), types.Constant(value=7, shape=(2, 2)),
        types.Constant([1, 2, 3, 4], shape=[2, 2], dtype=DALIDataType.UINT8, layout="HW"),
        fn.constant(fdata=[1.0, 2.0]), fn.constant(idata=[1, 2, 3, 4], shape=[2, 2]),
        fn.zeros(shape=[2, 3]), fn.ones(shape=4, dtype=types.FLOAT), fn.full(3, shape=[2]),
        fn.full(types.Constant([1.0, 2.0]), shape=(2, 2)), fn.full(2.5, shape=(1, 2)),
        fn.zeros_like(types.Constant([1.5, 2.5])), fn.ones_like(types.Constant([1, 2])),
        fn.full_like(types.Constant([1, 2]), 7),
        fn.zeros_like(types.Constant([1]), dtype=types.BOOL),
        fn.ones(shape=types.Constant([2, 1])),
    )

pipe = pipeline()
pipe.build()
keep(*pipe.run())
keep(int(types.RGB), int(types.FLOAT), int(types.INTERP_LINEAR), DALIImageType.BGR.name)
keep(np.dtype(types.to_numpy_type(types.FLOAT)).name)
""",
    "stack, cat, reshape, pad": """
import numpy as np
import nvidia.dali.fn as fn
import nvidia.dali.types as types
from nvidia.dali.pipeline import pipeline_def

@pipeline_def(batch_size=3, num_threads=2, device_id=None)
def pipeline():
    x = fn.external_source(
        source=lambda: [np.arange(6 * (k + 1), dtype=np.float32).reshape(k + 1, 2, 3)
                        for k in range(3)], layout="HWC")
    return (
        fn.stack(x, x, axis=0), fn.stack(x, x + 1, axis_name="N"), fn.cat(x, x, axis=1),
        fn.cat(x, x[:1], axis_name="H"), fn.reshape(x, shape=[-1, 3]), fn.reshape(x, layout="ABC"),
        fn.reshape(x, rel_shape=[1, 0.5, 2]), fn.reshape(x, shape=[-1], layout="X"),
        fn.cast(x, dtype=types.UINT8), fn.cast_like(x, x.shape()), fn.pad(x), fn.pad(x, axes=[0]),
        fn.pad(x, fill_value=-1, axis_names="W", align=4), fn.pad(x, axes=(0,), shape=(5,)),
        fn.normalize(x), fn.normalize(x, axes=[0, 1]), fn.normalize(x, mean=1.0, stddev=2.0),
        fn.normalize(x, axis_names="HW", scale=3, shift=1, batch=True), fn.squeeze(x[:1], axes=[0]),
        fn.expand_dims(x, axes=[0, 2], new_axis_names="AB"), fn.reinterpret(x, dtype=types.INT32),
        fn.transpose(x, perm=[2, 0, 1]), fn.transpose(x, perm=[1, 0, 2], transpose_layout=False),
        fn.slice(x, 0, 1, axes=[1]), fn.slice(x, [0.0, 0.0], [0.5, 1.0], axis_names="WH"),
        fn.slice(x, start=[1], end=[2], axes=[2]),
        fn.slice(x, rel_start=[0.5], shape=[1], axes=[1]),
        fn.slice(x, start=0, end=9, axes=[0], out_of_bounds_policy="pad", fill_values=5),
        fn.flip(x, horizontal=0, vertical=1),
    )

pipe = pipeline()
pipe.build()
keep(*pipe.run())
""",
    "images transformed": """
from nvidia.dali import fn, pipeline_def, types

@pipeline_def(batch_size=4, num_threads=2, device_id=None, seed=3)
def pipeline():
    encoded, _ = fn.readers.file(file_root=photos)
    images = fn.decoders.image(encoded, device="cpu", output_type=types.RGB)
    small = fn.resize(images, resize_x=50, resize_y=40)
    one = fn.random.uniform(range=[30.0, 30.00001])
    return (
        images, small, fn.rotate(small, angle=90.0), fn.rotate(small, angle=one, fill_value=0),
        fn.rotate(small, angle=10, keep_size=True, interp_type=types.INTERP_NN),
        fn.crop(images, crop=(32, 24)), fn.crop(small, crop_h=10, crop_w=12, crop_pos_x=0.1),
        fn.flip(small), fn.resize(images, resize_longer=50), fn.resize(images, size=[0, 50]),
        fn.resize(images, size=[40, 60], mode="not_larger"),
        fn.resize(images, max_size=60, size=50),
        fn.resize_crop_mirror(images, crop=(20, 30), resize_shorter=40, mirror=1),
        fn.decoders.image_crop(encoded, crop=(16, 16)),
        fn.decoders.image_slice(encoded, start=(1, 2), shape=(8, 9), axes=(0, 1)),
        fn.image_decoder(encoded, output_type=types.GRAY), fn.peek_image_shape(encoded),
        fn.decoders.image(encoded, output_type=types.BGR), fn.crop_mirror_normalize(small),
    )

pipe = pipeline()
pipe.build()
keep(*pipe.run())
""",
    "types and shapes of random numbers": """
import nvidia.dali.fn as fn
import nvidia.dali.types as types
from nvidia.dali import pipeline_def

@pipeline_def(batch_size=5, num_threads=1, device_id=None, seed=8)
def pipeline():
    return (
        fn.random.uniform(), fn.random.uniform(range=(0, 1), shape=[2, 3], dtype=types.FLOAT),
        fn.random.uniform(values=[1, 2]), fn.random.coin_flip(),
        fn.random.coin_flip(probability=.3),
        fn.random.coin_flip(dtype=types.BOOL), fn.random.normal(mean=3.0, shape=(2,)),
        fn.uniform(range=[0.0, 1.0]), fn.coin_flip(probability=0.5), fn.normal_distribution(),
        fn.random.choice(5), fn.random.choice([1.5, 2.5], p=[0.5, 0.5]),
        fn.random.choice(3, shape=2),
        fn.random.beta(), fn.random.beta(alpha=0.5, beta=2.0, shape=[4]),
        fn.random.uniform(range=(0, 9), dtype=types.INT32, shape=1), fn.batch_permutation(),
    )

pipe = pipeline()
pipe.build()
for out in pipe.run():
    keep(out.shape(), int(out.dtype), out.layout())
""",
    "random numbers as arguments": """
import nvidia.dali.fn as fn
import nvidia.dali.types as types
from nvidia.dali import pipeline_def

@pipeline_def(batch_size=4, num_threads=2, device_id=None, seed=8)
def pipeline():
    encoded, labels = fn.readers.file(file_root=photos, name="Reader")
    images = fn.decoders.image(encoded)
    size = fn.random.uniform(values=[48.0])
    flips = fn.random.coin_flip(probability=1)
    images = fn.resize(images, resize_x=size, resize_y=size * 0.5)
    brightness = fn.random.uniform(range=(2.0, 2.0000001), dtype=types.FLOAT)
    mirrored = fn.crop_mirror_normalize(images, mirror=flips, mean=[0, 0, 0], std=[1, 1, 1])
    either = fn.flip(images, horizontal=flips) * flips + images * (1 - flips)
    return mirrored, either, fn.cast(images * size, dtype=types.UINT8), fn.permute_batch(
        labels, indices=[3, 3, 0, 1]), fn.cast(images * 2.0, dtype=types.UINT8)

pipe = pipeline()
pipe.build()
keep(*pipe.run())
""",
    "python functions": """
import numpy as np
from nvidia.dali import fn, pipeline_def

@pipeline_def(batch_size=2, num_threads=1, device_id=None, exec_async=False, exec_pipelined=False)
def pipeline():
    x = fn.external_source(source=lambda: [np.ones((2, 3), np.float32)] * 2)
    a, b = fn.python_function(x, function=lambda v: (v * 2, v.sum(axis=0)), num_outputs=2)
    c = fn.python_function(x, x, function=lambda v, w: v + w)
    return a, b, c

pipe = pipeline()
pipe.build()
keep(*pipe.run())
""",
    "operators composed": """
import nvidia.dali as dali
import nvidia.dali.ops as ops

pipe = dali.Pipeline(batch_size=2, num_threads=1, device_id=None)
with pipe:
    decode = ops.Compose([ops.decoders.Image(), ops.CropMirrorNormalize(crop=(8, 8))])
    encoded, labels = ops.Compose([ops.readers.File(file_root=photos, name="Reader")])()
    pipe.set_outputs(decode(encoded), labels, encoded.property("layout"))
pipe.build()
keep(*pipe.run())
""",
}
