"""Programs for NVIDIA DALI: definition and running of pipelines, sources of data, iterators.

A program hands what it wants to be compared to `keep`. It finds a folder of photographs in
`photos`, a folder of other data sets in `data`, and may use NumPy as `np`.
"""

from __future__ import annotations

PIPELINES = {
    "resnet with classes of operators": """
import nvidia.dali.ops as ops
import nvidia.dali.types as types
from nvidia.dali.pipeline import Pipeline

class HybridTrainPipe(Pipeline):
    def __init__(self, batch_size, num_threads, device_id, data_dir, crop):
        super(HybridTrainPipe, self).__init__(batch_size, num_threads, device_id, seed=12)
        self.input = ops.readers.File(file_root=data_dir, shard_id=0, num_shards=1)
        self.decode = ops.decoders.ImageRandomCrop(
            device="cpu", output_type=types.RGB, random_aspect_ratio=[1.0, 1.0],
            random_area=[1.0, 1.0], num_attempts=100)
        self.res = ops.Resize(
            device="cpu", resize_x=crop, resize_y=crop, interp_type=types.INTERP_TRIANGULAR)
        self.cmnp = ops.CropMirrorNormalize(
            device="cpu", dtype=types.FLOAT, output_layout=types.NCHW, crop=(crop, crop),
            mean=[0.485 * 255, 0.456 * 255, 0.406 * 255],
            std=[0.229 * 255, 0.224 * 255, 0.225 * 255])
        self.coin = ops.random.CoinFlip(probability=1.0)

    def define_graph(self):
        rng = self.coin()
        self.jpegs, self.labels = self.input(name="Reader")
        images = self.decode(self.jpegs)
        images = self.res(images)
        output = self.cmnp(images, mirror=rng)
        return [output, self.labels]

pipe = HybridTrainPipe(batch_size=4, num_threads=2, device_id=None, data_dir=photos, crop=64)
pipe.build()
images, labels = pipe.run()
keep(labels, images.shape(), images.layout(), pipe.epoch_size("Reader"), pipe.epoch_size())
""",
    "old names of operators": """
import nvidia.dali.ops as ops
import nvidia.dali.types as types
from nvidia.dali.pipeline import Pipeline

class Validation(Pipeline):
    def __init__(self):
        Pipeline.__init__(self, 4, 2, None, seed=1)
        self.input = ops.FileReader(file_root=photos, random_shuffle=False, name="Reader")
        self.decode = ops.ImageDecoder(device="cpu", output_type=types.RGB)
        self.flip = ops.CoinFlip(probability=0)
        self.angle = ops.Uniform(range=(0.0, 1e-20))
        self.norm = ops.CropMirrorNormalize(
            device="cpu", dtype=types.FLOAT, crop=(32, 40), mean=[128.0] * 3, std=[2.0] * 3,
            output_layout="HWC")
        self.cast = ops.Cast(dtype=types.INT64)

    def define_graph(self):
        encoded, labels = self.input()
        images = self.decode(encoded)
        return self.norm(images, mirror=self.flip(), crop_pos_x=self.angle()), self.cast(labels)

pipe = Validation()
pipe.build()
for _ in range(3):
    keep(*pipe.run())
""",
    "resnet with functions": """
from nvidia.dali import pipeline_def
import nvidia.dali.types as types
import nvidia.dali.fn as fn

@pipeline_def
def create_dali_pipeline(data_dir, crop, size, shard_id, num_shards, dali_cpu=True):
    images, labels = fn.readers.file(
        file_root=data_dir, shard_id=shard_id, num_shards=num_shards, random_shuffle=False,
        pad_last_batch=True, name="Reader")
    decoder_device = "cpu" if dali_cpu else "mixed"
    images = fn.decoders.image(images, device=decoder_device, output_type=types.RGB)
    images = fn.resize(images, device="cpu", size=size, mode="not_smaller",
                       interp_type=types.INTERP_TRIANGULAR)
    images = fn.crop_mirror_normalize(
        images, dtype=types.FLOAT, output_layout="CHW", crop=(crop, crop),
        mean=[0.485 * 255, 0.456 * 255, 0.406 * 255],
        std=[0.229 * 255, 0.224 * 255, 0.225 * 255], mirror=False)
    return images, labels

pipe = create_dali_pipeline(
    batch_size=5, num_threads=2, device_id=None, seed=12, data_dir=photos, crop=56, size=64,
    shard_id=1, num_shards=3)
pipe.build()
for _ in range(3):
    keep(*pipe.run())
keep(pipe.reader_meta("Reader"), pipe.reader_meta(name="Reader")["epoch_size_padded"])
keep(pipe.reader_meta())
""",
    "with block and set_outputs": """
import nvidia.dali as dali
from nvidia.dali import fn, types

pipe = dali.pipeline.Pipeline(batch_size=3, num_threads=1, device_id=None)
with pipe:
    data, label = fn.readers.file(file_root=photos)
    img = fn.decoders.image(data)
    small = fn.resize(img, resize_shorter=40)
    pipe.set_outputs(small.shape(), fn.shapes(img), label)
pipe.build()
keep(*pipe.run())
""",
    "iterator as external source": """
import numpy as np
from nvidia.dali import Pipeline, fn, types

class Input:
    def __init__(self, batch_size):
        self.batch_size = batch_size
    def __iter__(self):
        self.i = 0
        return self
    def __next__(self):
        if self.i >= 3:
            raise StopIteration
        self.i += 1
        batch = [np.full((k + 1, 2), self.i, dtype=np.uint8) for k in range(self.batch_size)]
        labels = [np.array([k], dtype=np.int32) for k in range(self.batch_size)]
        return batch, labels

pipe = Pipeline(batch_size=2, num_threads=1, device_id=None)
with pipe:
    a, b = fn.external_source(source=Input(2), num_outputs=2, dtype=[types.UINT8, types.INT32])
    pipe.set_outputs(a, b)
pipe.build()
for epoch in range(2):
    while True:
        try:
            keep(*pipe.run())
        except StopIteration:
            keep("end")
            pipe.reset()
            break
""",
    "per-sample callback": """
import numpy as np
from nvidia.dali import fn, pipeline_def, types

def callback(info):
    if info.iteration >= 2:
        raise StopIteration
    return np.array([info.idx_in_epoch, info.idx_in_batch, info.iteration, info.epoch_idx])

@pipeline_def(batch_size=3, num_threads=2, device_id=None)
def pipeline():
    return fn.external_source(source=callback, batch=False, dtype=types.INT64)

pipe = pipeline()
pipe.build()
for _ in range(2):
    keep(*pipe.run())
try:
    pipe.run()
except StopIteration:
    pipe.reset()
keep(*pipe.run())
""",
    "cycled generator and layout": """
import numpy as np
from nvidia.dali import fn, pipeline_def

def batches():
    for i in range(2):
        yield np.full((4, 6, 5, 3), i, dtype=np.float32)

@pipeline_def(batch_size=4, num_threads=1, device_id=None)
def pipeline():
    data = fn.external_source(source=batches, cycle="quiet", layout="HWC")
    return data, fn.transpose(data, perm=[2, 0, 1])

pipe = pipeline()
pipe.build()
for _ in range(5):
    keep(*pipe.run())
""",
    "external source as a class": """
import numpy as np
import nvidia.dali.ops as ops
from nvidia.dali.pipeline import Pipeline

class ExternalSourcePipeline(Pipeline):
    def __init__(self):
        super().__init__(2, 1, None, seed=12, prefetch_queue_depth=1)
        self.input = ops.ExternalSource()
        self.input_label = ops.ExternalSource()
        self.count = 0

    def define_graph(self):
        self.data = self.input()
        self.labels = self.input_label()
        return self.data + 1, self.labels

    def iter_setup(self):
        self.count += 1
        if self.count > 3:
            raise StopIteration
        self.feed_input(self.data, [np.full((2, 2), self.count), np.zeros((1, 2), dtype=np.int64)])
        self.feed_input(self.labels, np.array([[1], [self.count]], dtype=np.uint8))

pipe = ExternalSourcePipeline()
pipe.build()
for _ in range(2):
    keep(*pipe.run())
""",
    "data given to run": """
import numpy as np
from nvidia.dali import fn, pipeline_def

@pipeline_def(batch_size=4, num_threads=1, device_id=None, prefetch_queue_depth=1)
def pipeline():
    x = fn.external_source(name="x", layout="HWC")
    y = fn.external_source(name="y")
    return fn.flip(x, horizontal=1), x * y

pipe = pipeline()
pipe.build()
for i in (1, 3):
    x = np.arange(24, dtype=np.int16).reshape(4, 1, 3, 2)
    keep(*pipe.run(x=x[:i], y=[np.uint8(k) for k in range(i)]))
pipe.feed_input("x", x)
pipe.feed_input("y", np.ones(4, np.uint8))
keep(*pipe.run())
""",
    "schedule, share, release": """
import nvidia.dali.fn as fn
from nvidia.dali import pipeline_def

@pipeline_def(batch_size=2, num_threads=1, device_id=None, prefetch_queue_depth=2)
def pipeline():
    _, labels = fn.readers.file(file_root=photos)
    return labels

pipe = pipeline()
pipe.build()
pipe.schedule_run()
for _ in range(3):
    (labels,) = pipe.share_outputs()
    keep(labels)
    pipe.release_outputs()
    pipe.schedule_run()
keep(*pipe.outputs())
""",
    "one pipeline a shard": """
from nvidia.dali import fn, pipeline_def, types
from nvidia.dali.plugin.base_iterator import LastBatchPolicy
from nvidia.dali.plugin.pytorch import DALIClassificationIterator, DALIGenericIterator

@pipeline_def(batch_size=5, num_threads=1, device_id=None)
def pipeline(shard_id, num_shards):
    encoded, labels = fn.readers.file(
        file_root=photos, shard_id=shard_id, num_shards=num_shards,
        stick_to_shard=True, name="Reader")
    images = fn.resize(fn.decoders.image(encoded), size=(8, 8))
    return fn.crop_mirror_normalize(images, output_layout="CHW", dtype=types.FLOAT), labels

pipes = [pipeline(i, 3) for i in range(3)]
loader = DALIClassificationIterator(
    pipes, reader_name="Reader", auto_reset=True, last_batch_policy=LastBatchPolicy.PARTIAL)
keep(len(loader))
for epoch in range(2):
    for i, data in enumerate(loader):
        for d in data:
            keep(tuple(d["data"].shape), str(d["data"].dtype), d["label"].squeeze(-1).long())
pipe = pipeline(1, 2)
loader = DALIGenericIterator(pipe, ["data", "label"], reader_name="Reader")
for data in loader:
    keep(data[0]["data"], data[0]["label"])
loader.reset()
keep(next(loader)[0]["label"], next(iter(loader))[0]["label"])
""",
    "ragged batches and feed_ndarray": """
import torch
from nvidia.dali import fn, pipeline_def
from nvidia.dali.plugin.pytorch import DALIRaggedIterator, feed_ndarray, to_torch_type

@pipeline_def(batch_size=4, num_threads=1, device_id=None)
def pipeline():
    encoded, labels = fn.readers.file(file_root=photos, name="Reader")
    return fn.decoders.image(encoded), labels

pipe = pipeline()
pipe.build()
images, labels = pipe.run()
tensor = torch.empty(labels.as_tensor().shape(), dtype=to_torch_type[labels.dtype])
feed_ndarray(labels.as_tensor(), tensor)
keep(tensor)
loader = DALIRaggedIterator(
    pipeline(), ["image", "label"], reader_name="Reader",
    output_types=[DALIRaggedIterator.SPARSE_LIST_TAG, DALIRaggedIterator.DENSE_TAG])
batch = next(loader)[0]
keep([image for image in batch["image"]], batch["label"])
""",
    "tfrecord": """
import nvidia.dali.fn as fn
import nvidia.dali.tfrecord as tfrec
import nvidia.dali.types as types
from nvidia.dali import pipeline_def

@pipeline_def(batch_size=3, num_threads=2, device_id=None)
def pipeline():
    inputs = fn.readers.tfrecord(
        path=[data + "/photos.tfrecord"], index_path=[data + "/photos.idx"], name="Reader",
        features={
            "image/encoded": tfrec.FixedLenFeature((), tfrec.string, ""),
            "image/class/label": tfrec.FixedLenFeature([1], tfrec.int64, -1),
            "image/object/bbox": tfrec.VarLenFeature([2], tfrec.float32, 0.0),
        })
    images = fn.decoders.image(inputs["image/encoded"], output_type=types.RGB)
    return images, inputs["image/class/label"] - 1, inputs["image/object/bbox"]

pipe = pipeline()
pipe.build()
for _ in range(2):
    keep(*pipe.run())
keep(pipe.epoch_size("Reader"))
""",
    "tfrecord as a class": """
import nvidia.dali.ops as ops
import nvidia.dali.tfrecord as tfrec
import nvidia.dali.types as types
from nvidia.dali.pipeline import Pipeline

class TFRecordPipeline(Pipeline):
    def __init__(self):
        super(TFRecordPipeline, self).__init__(3, 1, None)
        self.input = ops.TFRecordReader(
            path=data + "/photos.tfrecord", index_path=data + "/photos.idx",
            features={"image/encoded": tfrec.FixedLenFeature([], tfrec.string, ""),
                      "image/class/label": tfrec.FixedLenFeature([], tfrec.int64, -1)})
        self.decode = ops.ImageDecoder(device="cpu", output_type=types.RGB)
        self.iter = 0

    def define_graph(self):
        inputs = self.input()
        return (self.decode(inputs["image/encoded"]), inputs["image/class/label"])

pipe = TFRecordPipeline()
pipe.build()
keep(*pipe.run())
""",
    "mxnet": """
from nvidia.dali import fn, ops, pipeline_def

@pipeline_def(batch_size=3, num_threads=1, device_id=None)
def pipeline():
    images, labels = fn.readers.mxnet(
        path=[data + "/photos.rec"], index_path=[data + "/photos.rec.idx"], name="Reader")
    again, _ = ops.MXNetReader(path=[data + "/photos.rec"], index_path=[data + "/photos.rec.idx"])()
    return fn.decoders.image(images), labels, again

pipe = pipeline()
pipe.build()
keep(*pipe.run())
keep(pipe.epoch_size("Reader"))
""",
    "webdataset": """
from nvidia.dali import fn, pipeline_def, types

@pipeline_def(batch_size=3, num_threads=1, device_id=None)
def pipeline():
    images, labels = fn.readers.webdataset(
        paths=[data + "/photos.tar"], ext=["jpg", "cls"], dtypes=[types.UINT8, types.UINT8],
        missing_component_behavior="error", name="Reader")
    return fn.decoders.image(images), labels - 48

pipe = pipeline()
pipe.build()
for _ in range(3):
    keep(*pipe.run())
""",
    "caffe": """
from nvidia.dali import fn, pipeline_def, types

@pipeline_def(batch_size=3, num_threads=1, device_id=None)
def pipeline():
    images, labels = fn.readers.caffe(path=data + "/caffe", name="Reader")
    return images, labels

pipe = pipeline()
pipe.build()
for _ in range(3):
    keep(*pipe.run())
""",
    "file lists": """
import os
from nvidia.dali import fn, pipeline_def

names = sorted(os.listdir(photos + "/class_00"))[:5]
with open(data + "/list.txt", "w") as file:
    for i, name in enumerate(names):
        file.write(f"class_00/{name} {i * 3}\\n")

@pipeline_def(batch_size=2, num_threads=1, device_id=None)
def pipeline():
    a, b = fn.readers.file(file_root=photos, file_list=data + "/list.txt", name="a")
    c, d = fn.readers.file(files=[photos + "/class_00/" + n for n in names], labels=[9, 8, 7, 6, 5])
    e, f = fn.readers.file(file_root=photos, dir_filters=["class_0[12]"], file_filters="*_0003.jpg")
    return a, b, c, d, e, f

pipe = pipeline()
pipe.build()
for _ in range(4):
    keep(*pipe.run())
(encoded, *_) = pipe.run()
keep(os.path.basename(encoded[0].source_info()))
""",
    "debris of old scripts": """
import nvidia.dali
import nvidia.dali.fn
import nvidia.dali.ops
import nvidia.dali.types as types
import nvidia.dali.math
import nvidia.dali.backend
import nvidia.dali.plugin.pytorch as pt
from nvidia.dali import Pipeline, newaxis
from nvidia.dali.data_node import DataNode
from nvidia.dali.types import DALIDataType, DALIImageType, DALIInterpType, SampleInfo, BatchInfo
from nvidia.dali.types import ScalarConstant, CPU_ONLY_DEVICE_ID

@nvidia.dali.pipeline_def(batch_size=2, num_threads=1, device_id=None)
def pipeline():
    a = nvidia.dali.fn.constant(idata=[1, 2])
    assert isinstance(a, DataNode)
    return nvidia.dali.math.max(a, 2), a[newaxis], nvidia.dali.fn.copy(a), ScalarConstant(3) * a

pipe = pipeline()
pipe.build()
keep(*pipe.run())
keep(pipe.max_batch_size, pipe.num_threads, pipe.device_id, pipe.prefetch_queue_depth)
keep(pipe.exec_pipelined, pipe.exec_async, pipe.num_outputs)
""",
}
