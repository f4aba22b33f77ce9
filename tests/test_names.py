"""The names under which pipelines import things, and what is said of those that are wrong."""

import importlib
import warnings
from contextlib import suppress
from inspect import signature
from operator import attrgetter
from types import ModuleType

import numpy as np
import pytest

import penstock
from penstock import ArgumentError, fn, ops, pipeline_def, types


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("pipeline", ["Pipeline", "pipeline_def"]),
        ("tensors", ["TensorCPU", "TensorGPU", "TensorListCPU", "TensorListGPU"]),
        ("backend", ["TensorCPU", "TensorGPU", "TensorListCPU", "TensorListGPU"]),
        ("backend_impl", ["TensorCPU", "TensorGPU", "TensorListCPU", "TensorListGPU"]),
        ("data_node", ["DataNode"]),
        ("math", ["sqrt", "clamp", "atan2"]),
        ("types", ["UINT8", "DALIDataType", "ScalarConstant", "CPU_ONLY_DEVICE_ID"]),
        ("types", ["STRING", "SAME", "TensorLayout", "ConstantNode", "CUDAStream"]),
        ("backend", ["ReleaseUnusedMemory", "PreallocateDeviceMemory"]),
        ("data_node", ["newaxis"]),
        ("pickling", ["pickle_by_value"]),
        ("pipeline", ["StreamPolicy", "OperatorConcurrency"]),
        ("plugin_manager", ["load_library", "load_directory"]),
        ("sysconfig", ["get_include_dir", "get_lib_dir"]),
        ("tfrecord", ["Feature", "FixedLenFeature", "VarLenFeature"]),
    ],
)
def test_modules(module, names):
    imported = importlib.import_module(f"penstock.{module}")
    assert imported is getattr(penstock, module)
    assert all(hasattr(imported, name) for name in names)


PUBLIC = [
    *("backend", "backend_impl", "data_node", "datasets", "extend", "fn", "math", "ops"),
    *("experimental.torchvision", "experimental.torchvision.v2.functional"),
    *("pickling", "pipeline", "plugin_manager", "sysconfig", "tensors"),
    *("tfrecord", "types", "plugin.arrays", "plugin.base_iterator", "plugin.jax", "plugin.jax.fn"),
    *("plugin.jax.clu", "plugin.jax.integration", "plugin.jax.iterator"),
    *(
        "plugin.numba",
        "plugin.numba.experimental",
        "plugin.numba.fn",
        "plugin.numba.fn.experimental",
    ),
    *("plugin.pytorch", "plugin.pytorch.accelerate", "plugin.pytorch.fn"),
    *("plugin.pytorch.experimental.proxy", "plugin.pytorch.hugging_face"),
    *("plugin.pytorch.loader_evaluator", "plugin.paddle", "plugin.ray", "plugin.triton"),
    *("plugin.keras", "plugin.tf", "plugin.tf.experimental"),
    *("auto_aug", "auto_aug.augmentations", "auto_aug.auto_augment", "auto_aug.core"),
    *("auto_aug.rand_augment", "auto_aug.trivial_augment", "experimental.dynamic"),
    *("testing.agreement", "testing.decoders", "testing.operators", "testing.readers"),
    *("testing.iterators", "testing.writers"),
]


OF_MODULES = ("auto_aug", "fn", "ops", "experimental.dynamic", "plugin.numba", "plugin.numba.fn")


@pytest.mark.parametrize("name", PUBLIC)
def test_import_star_gives_names_of_the_module_and_replaces_none_of_a_program(name):
    try:
        module = importlib.import_module(f"penstock.{name}")
    except penstock.MissingDependencyError as error:
        pytest.skip(str(error))
    imported = {}
    exec(f"from penstock.{name} import *", imported)
    del imported["__builtins__"]
    assert set(imported) == set(module.__all__)
    modules = {key for key, value in imported.items() if isinstance(value, ModuleType)}
    assert not modules & {"fn", "ops", "types", "np", "numpy", "torch", "jax", "warnings"}
    assert name in OF_MODULES or not modules
    assert not any(key.startswith("_") for key in imported)


def test_layouts_of_older_code_describe_a_sample():
    assert (types.NCHW, types.NHWC, types.NFHWC, types.NFCHW) == ("CHW", "HWC", "FHWC", "FCHW")


def test_no_gpu_has_two_names():
    pipe = penstock.Pipeline(batch_size=1, device_id=types.CPU_ONLY_DEVICE_ID)
    assert pipe.device_id is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("audio_decoder", "decoders.audio"),
        ("coco_reader", "readers.coco"),
        ("experimental.debayer", "debayer"),
        ("experimental.decoders.image_slice", "decoders.image_slice"),
        ("experimental.equalize", "equalize"),
        ("experimental.filter", "filter"),
        ("experimental.resize", "resize"),
        ("experimental.tensor_resize", "tensor_resize"),
        ("transform_translation", "transforms.translation"),
        ("video_reader_resize", "readers.video_resize"),
    ],
)
def test_older_names_are_the_newer_operators_and_warn(old, new):
    with penstock.Pipeline(batch_size=1, num_threads=1):
        function = attrgetter(old)(fn)
        assert signature(function) == signature(attrgetter(new)(fn))
        message = rf"^fn\.{old} is deprecated; use fn\.{new}$"
        # None has the argument, so that no call adds an operator.
        with pytest.warns(DeprecationWarning, match=message) as caught, suppress(ArgumentError):
            function(no_such_argument=1)
        assert caught[0].filename == __file__


def test_older_classes_are_the_newer_ones_and_warn():
    assert issubclass(ops.FileReader, ops.readers.File)
    with pytest.warns(
        DeprecationWarning, match=r"^ops\.CoinFlip is deprecated; use ops\.random\.C"
    ):
        assert isinstance(ops.CoinFlip(), ops.random.CoinFlip)
    with warnings.catch_warnings(record=True) as caught:
        ops.readers.File(file_root="x")
    assert caught == []


@pytest.mark.parametrize(
    ("access", "message"),
    [
        (lambda: fn.reszie, "no operator 'reszie'; did you mean 'resize'"),
        (lambda: fn.readers.files, "no operator 'files'; did you mean 'file'"),
        (lambda: fn.random.poisson, "no operator 'poisson'; there are beta, choice"),
        (lambda: ops.Resise, "no operator 'Resise'; did you mean 'Resize'"),
    ],
)
def test_misspelt_operators(access, message):
    with pytest.raises(AttributeError, match=message):
        access()


def images(folder):
    return fn.decoders.image(fn.readers.file(file_root=folder)[0])


@pytest.mark.parametrize(
    ("define", "message"),
    [
        (lambda _: fn.readers.file(file_rot="x"), "'file_rot'; did you mean 'file_root'"),
        (lambda path: fn.resize(images(path), resize_x="big"), "'resize_x' must be float"),
        (lambda path: fn.decoders.image(images(path), device="gpu"), "leave the argument device"),
        (lambda _: None, "output 0 of the pipeline is None"),
        (lambda path: (images(path), None), "output 1 of the pipeline is None"),
        (
            lambda path: fn.flip(tuple(fn.readers.file(file_root=path))),
            "input 0 of fn.flip is a tuple of nodes",
        ),
        (lambda _: fn.random.uniform() + "a", "input 1 of arithmetic is 'a'"),
        (lambda _: fn.stack(fn.random.uniform(), None, 1), "input 1 of fn.stack is None"),
        (
            lambda _: fn.cat([fn.random.uniform()] * 2, [fn.random.uniform()] * 3),
            "Multiple Input Sets used with operator",
        ),
    ],
)
def test_mistakes_in_a_definition(define, message, photo_tree):
    with pytest.raises(ArgumentError, match=message):
        pipeline_def(define, batch_size=2, num_threads=1)(str(photo_tree.root))


def test_a_list_of_nodes_is_a_set_of_inputs_and_a_list_of_numbers_is_data():
    def define():
        ones, twos = fn.flip(
            [
                fn.ones(shape=(1, 2, 1), layout="HWC"),
                types.Constant(np.array([[[1], [2]]]), layout="HWC"),
            ]
        )
        return fn.flip([ones]), twos, fn.stack([1, 2], [3, 4])

    with pipeline_def(define, batch_size=1, num_threads=1)() as pipe:
        values = [output.as_array().ravel().tolist() for output in pipe.run()]
    assert values == [[1, 1], [2, 1], [1, 2, 3, 4]]


def test_operators_composed(photo_tree):
    def define():
        read = ops.readers.File(file_root=photo_tree.root)
        first = ops.Compose([read, lambda encoded, labels: encoded, ops.decoders.Image()])
        return ops.Compose([first, ops.Resize(size=8)])(), ops.Compose([])(1)[0]

    with pipeline_def(define, batch_size=2, num_threads=1)() as pipe:
        images, ones = pipe.run()
    assert images.shape() == [(8, 8, 3)] * 2
    assert ones.as_array().tolist() == [1, 1]


def test_devices_of_instances():
    assert ops.Resize(size=10).device == "cpu"
    assert ops.Resize(size=10, device="gpu").device == "gpu"
    assert ops.decoders.Image(device="mixed").device == "mixed"


def test_arguments_of_constructors_by_position():
    with pytest.raises(ArgumentError, match="ExternalSource takes source, num_outputs by position"):
        ops.ExternalSource(None, 1, 2)
    with pytest.raises(ArgumentError, match="Resize takes no argument by position, but was given"):
        ops.Resize(5)


def test_the_pipeline_that_is_being_defined():
    class Defined(penstock.Pipeline):
        def define_graph(self):
            seen.append(self.current())
            return fn.random.uniform()

    @pipeline_def(batch_size=2, device_id=None)
    def function():
        seen.append(penstock.Pipeline.current())
        return fn.random.uniform()

    seen = []
    pipe = Defined(batch_size=1)
    pipe.start_py_workers()
    pipe.build()
    block = penstock.Pipeline(batch_size=3)
    with block:
        seen.append(penstock.Pipeline.current())
        block.set_outputs(fn.random.uniform())
    made = function()
    assert seen == [pipe, block, made]
    assert penstock.Pipeline.current() is None


def test_the_experimental_pipeline_def():
    experimental = importlib.import_module("penstock.pipeline.experimental")
    assert experimental.pipeline_def is pipeline_def

    @penstock.pipeline.do_not_convert
    def unchanged():
        return 5

    assert unchanged() == 5


def test_operators_are_listed_by_stage():
    cpu, mixed, gpu = ops.cpu_ops(), ops.mixed_ops(), ops.gpu_ops()
    assert {"readers__File", "transforms__Rotation", "Resize", "MFCC"} <= cpu
    assert "decoders__Image" in mixed - gpu
    assert "Resize" in gpu
    assert "readers__COCO" not in gpu | mixed
    ops.Reload()
    assert ops.cpu_ops() == cpu


def test_keyword_names_are_dali_s():
    assert types.to_numpy_type(dali_type=types.UINT16) == np.uint16
    assert types.to_dali_type(framework_type=np.int8) is types.INT8

    def define():
        number = fn.zeros(shape=[], dtype=types.FLOAT) + 4
        return penstock.math.sqrt(input=number), number.source_info(device="cpu")

    with pipeline_def(define, batch_size=1, num_threads=1)() as pipe:
        roots, places = pipe.run()
    assert roots.as_array().tolist() == [2.0]
    assert places.shape() == [(0,)]


@pytest.mark.parametrize("member", [types.STRING, types.FEATURE, types.PYTHON_OBJECT])
def test_types_of_arguments_are_no_element_types(member):
    with pytest.raises(ArgumentError, match="is no element type"):
        types.to_numpy_type(member)


def test_a_layout_and_a_stream_as_objects():
    layout = types.TensorLayout("HWC")
    assert (layout, len(layout), str(layout)) == ("HWC", 3, "HWC")
    with pipeline_def(lambda: fn.zeros(shape=[1, 2, 3], layout=layout), batch_size=1)() as pipe:
        assert pipe.run()[0].layout() == "HWC"
    assert types.CUDAStream(5).ptr == 5
