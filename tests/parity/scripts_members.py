"""Programs for NVIDIA DALI: members of pipelines, tensors made by hand, and small modules.

See `scripts_pipelines`.
"""

from __future__ import annotations

MEMBERS = {
    "arguments of pipelines": """
from nvidia.dali import Pipeline, StreamPolicy, OperatorConcurrency, fn, types, pipeline_def

@pipeline_def(batch_size=3, num_threads=1, device_id=None, output_ndim=[0, None],
              output_dtype=[types.FLOAT, None])
def defined():
    keep(Pipeline.current() is not None)
    return fn.random.uniform(seed=3) * 0, fn.zeros(shape=[2])

keep(Pipeline.current())
pipe = defined()
pipe.build()
keep(pipe.cpu_queue_size, pipe.gpu_queue_size, pipe.exec_separated, pipe.exec_dynamic)
keep(pipe.enable_memory_stats, pipe.max_streams, pipe.default_cuda_stream_priority)
keep(pipe.py_num_workers, pipe.py_start_method, pipe.set_affinity, pipe.stream_policy)
keep(pipe.output_dtype(), pipe.output_ndim(), pipe.num_outputs, pipe.executor_statistics())
keep(pipe.external_source_shm_statistics(), pipe.empty())
pipe.schedule_run()
keep(pipe.empty())
outputs = pipe.share_outputs()
keep(outputs[1])
pipe.release_outputs()
keep(defined(prefetch_queue_depth=5).cpu_queue_size)
keep(defined(exec_dynamic=False).exec_dynamic)
""",
    "the current pipeline": """
from nvidia.dali import Pipeline, fn

one = Pipeline(batch_size=1, num_threads=1, device_id=None)
two = Pipeline(batch_size=1, num_threads=1, device_id=None)
keep(Pipeline.push_current(one) is None, Pipeline.current() is one)
with two:
    keep(Pipeline.current() is two)
    two.set_outputs(fn.zeros(shape=[1]))
keep(Pipeline.current() is one)
node = fn.ones(shape=[1])
Pipeline.pop_current()
keep(Pipeline.current() is None)
one.set_outputs(node)
keep(*one.run(), *two.run())
""",
    "a sink": """
from nvidia.dali import Pipeline, fn

seen = []
pipe = Pipeline(batch_size=1, num_threads=1, device_id=None, prefetch_queue_depth=1)
with pipe:
    number = fn.external_source(name="number")
    pipe.add_sink(fn.python_function(number, function=lambda x: (seen.append(int(x)), x)[1]))
    pipe.set_outputs(number + 1)
pipe.build()
keep(pipe.input_feed_count("number"))
for i in range(2):
    pipe.feed_input("number", [np.int32(i)])
    keep(*pipe.run())
keep(seen)
""",
    "tensors": """
from nvidia.dali import types
from nvidia.dali.tensors import TensorCPU, TensorListCPU

numbers = np.arange(6, dtype=np.float32).reshape(2, 1, 3)
tensor = TensorCPU(numbers, "HWC")
keep(tensor, tensor.ndim(), tensor.shape(), tensor.layout(), tensor.dtype)
keep(tensor.get_property("layout"), tensor.get_property("source_info"))
keep(tensor.squeeze(0), tensor.squeeze(), tensor.shape(), tensor.layout(), tensor.squeeze(-1))
tensor.reinterpret(types.INT32)
keep(tensor)
tensor.set_layout("AB")
keep(tensor.layout())
tensor.set_layout(None)
keep(tensor.layout(), tensor.get_property("layout"))
keep(TensorCPU(numbers.__dlpack__()), TensorCPU(bytearray(b"abc")))

batch = TensorListCPU(numbers, "WC")
keep(batch, batch.ndim(), len(batch), batch.shape(), batch[-1], batch.as_tensor())
keep(TensorListCPU(batch, "AB"), TensorListCPU([tensor, TensorCPU(np.zeros((1, 1), np.int32))]))
keep(TensorListCPU(list_of_tensors=[TensorCPU(np.zeros(2), "X")] * 2, contiguous=True))
keep(TensorListCPU.broadcast(TensorCPU(np.arange(3), "X"), 4))
keep(TensorListCPU.from_dlpack_list([np.zeros(3), np.ones(4)], "X"))
batch.reinterpret(types.UINT32)
keep(batch)
batch.set_layout("XY")
keep(batch.layout())
batch.reset()
keep(len(batch), batch.shape())
for wrong in (
    lambda: TensorCPU(numbers, "HW"),
    lambda: TensorCPU([1, 2]),
    lambda: tensor.reinterpret(types.UINT8),
    lambda: tensor.squeeze(5),
    lambda: tensor.set_layout("ABCD"),
    lambda: TensorListCPU([tensor, 3]),
    lambda: TensorListCPU([TensorCPU(np.zeros(1)), TensorCPU(np.zeros(1, np.uint8))]),
    lambda: TensorListCPU([TensorCPU(np.zeros(1), "A"), TensorCPU(np.zeros(1), "B")]),
    lambda: TensorListCPU.from_dlpack_list([[1]]),
    lambda: TensorListCPU(numbers)[2],
    lambda: TensorListCPU(numbers)[-3],
):
    try:
        keep(wrong())
    except Exception:
        keep("refused")
""",
    "tensors as data": """
from nvidia.dali import Pipeline, fn
from nvidia.dali.tensors import TensorCPU, TensorListCPU

pipe = Pipeline(batch_size=2, num_threads=1, device_id=None)
with pipe:
    data = fn.external_source(name="data")
    pipe.set_outputs(data, data.shape())
pipe.build()
ragged = [np.zeros((1, 2)), np.ones((3, 2))]
pipe.feed_input("data", TensorListCPU([TensorCPU(each, "AB") for each in ragged]))
pipe.feed_input("data", [TensorCPU(each, "AB") for each in ragged])
for _ in range(2):
    keep(*pipe.run())
""",
    "names of types": """
from nvidia.dali import types
from nvidia.dali.types import DALIDataType

keep([int(each) for each in (
    types.STRING, types.FEATURE, types.IMAGE_TYPE, types.DATA_TYPE, types.INTERP_TYPE,
    types.TENSOR_LAYOUT, types.PYTHON_OBJECT)])
keep(types.SAME, types.NHWC, str(types.TensorLayout("HWC")), len(types.TensorLayout("HWC")))
three, half = types.Constant(3), types.Constant(0.5)
keep(three.value, half.value, int(three.dtype), int(half.dtype), int(three), bool(three))
keep(float(half), int(three.uint8().dtype), three.float64().value, int(half.float16().dtype))
keep(types.ScalarConstant(True).value, int(types.ScalarConstant(3, types.INT16).dtype))
for wrong in (lambda: int(half), lambda: bool(half), lambda: float(three),
              lambda: types.ScalarConstant([1, 2])):
    try:
        keep(wrong())
    except TypeError:
        keep("refused")
keep(types.CUDAStream(5).ptr, types.to_dali_type(framework_type=np.int16))
""",
    "calls of the backend": """
from nvidia.dali import backend, ops
from nvidia.dali.pickling import pickle_by_value

keep(backend.GetHostBufferGrowthFactor(), backend.GetHostBufferShrinkThreshold())
backend.SetHostBufferGrowthFactor(2)
keep(backend.GetHostBufferGrowthFactor(), backend.RestrictPinnedMemUsage())
for wrong in (lambda: backend.SetHostBufferGrowthFactor(0.5),
              lambda: backend.SetHostBufferShrinkThreshold(2)):
    try:
        keep(wrong())
    except ValueError:
        keep("refused")
backend.SetHostBufferGrowthFactor(1.1)
keep("readers__File" in ops.cpu_ops(), "decoders__Image" in ops.mixed_ops())
ops.Reload()
try:
    pickle_by_value(3)
except TypeError:
    keep("refused")
""",
    "stored pipelines": """
import os, pathlib, tempfile
from nvidia.dali import Pipeline, fn, types, pipeline_def

@pipeline_def(batch_size=3, num_threads=1, device_id=None, seed=4)
def defined():
    encoded, labels = fn.readers.file(file_root=photos, name="Reader")
    images = fn.resize(fn.decoders.image(encoded), size=[8, 9], interp_type=types.INTERP_NN)
    images = fn.crop_mirror_normalize(images, mean=[1.0, 2.0, 3.0], output_layout="CHW")
    return images[:, 1:-1], labels + types.Constant(2).uint8(), fn.constant(fdata=[1, 2.5])

pipe = defined()
stored = pipe.serialize()
keep(isinstance(stored, bytes), *pipe.run())
again = Pipeline.deserialize(stored)
keep(*again.run(), again.max_batch_size, again.seed, again.num_outputs)
other = Pipeline.deserialize(stored, batch_size=2, seed=6)
keep(*other.run(), other.max_batch_size, other.seed)
file = os.path.join(tempfile.mkdtemp(), "pipeline")
keep(pipe.serialize(filename=file) == pathlib.Path(file).read_bytes())
keep(*Pipeline.deserialize(filename=file, batch_size=4).run())
third = Pipeline(batch_size=5, num_threads=1, device_id=None)
third.deserialize_and_build(stored)
keep(*third.run())

with Pipeline(batch_size=2, num_threads=1, device_id=None) as fed:
    data = fn.external_source(source=lambda i: [np.zeros(1)] * 2, name="data", layout="X")
    fed.set_outputs(data)
fed = Pipeline.deserialize(fed.serialize())
fed.feed_input("data", [np.ones(1), np.ones(2)])
keep(*fed.run())

with Pipeline(batch_size=2, num_threads=1, device_id=None) as user:
    user.set_outputs(fn.python_function(fn.ones(shape=[1]), function=lambda x: x))
for wrong in (lambda: user.serialize(), lambda: Pipeline.deserialize(),
              lambda: Pipeline.deserialize(stored, filename=file)):
    try:
        keep(wrong())
    except (RuntimeError, ValueError):
        keep("refused")
""",
}
