"""Options of PyTorch's iterators: class labels, memory formats and pinned memory."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from penstock import ArgumentError, Pipeline, fn

torch = pytest.importorskip("torch")

from torch.nn.functional import cross_entropy  # noqa: E402  (only where PyTorch is)

from penstock.plugin.pytorch import (  # noqa: E402
    ClassificationIterator,
    GenericIterator,
    LastBatchPolicy,
    RaggedIterator,
)

DENSE, LIST, COO = "dense", "sparse_list", "sparse_coo"


@pytest.fixture
def given(pipelines):
    """Makes a pipeline of three batches of these samples, by the outputs' names."""

    def make(count=3, device="cpu", **outputs):
        def define():
            return {
                name: fn.external_source([rows] * 3, layout=layout, device=device)
                for name, (rows, layout) in outputs.items()
            }

        pipeline = Pipeline(batch_size=count, num_threads=1)
        pipeline.define(define)
        pipelines.append(pipeline)
        return pipeline

    return make


def images(layout, count=3):
    """Return images of which each element is its number, and the same as NumPy's NC...."""
    shape = {"C": 3, "H": 5, "W": 4, "D": 2, "F": 2}
    rows = np.arange(count * 240, dtype=np.float32)
    size = int(np.prod([shape[axis] for axis in layout]))
    batch = rows[: count * size].reshape(count, *(shape[axis] for axis in layout))
    return list(batch), np.moveaxis(batch, 1 + layout.index("C"), 1)


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8", "bool", "float32"])
@pytest.mark.parametrize("shape", [(1,), (), (1, 1)])
def test_class_labels_suit_a_loss(given, dtype, shape):
    labels = [np.full(shape, value, dtype) for value in (0, 1, 1)]
    pipeline = given(label=(labels, None), other=(labels, None))
    batch = next(GenericIterator(pipeline, batch_form="dict", class_labels="label"))
    assert (batch["label"].dtype, batch["label"].tolist()) == (torch.int64, [0, 1, 1])
    assert batch["other"].shape == (3, *shape)
    assert cross_entropy(torch.zeros(3, 2), batch["label"]) > 0


def test_class_labels_of_other_iterators(numbered_files, pipelines):
    for _ in range(2):
        pipelines.append(Pipeline(batch_size=2, num_threads=1))
        pipelines[-1].define(lambda: fn.readers.file(files=numbered_files[:3], name="R"))
    options = {"reader_name": "R", "last_batch_policy": LastBatchPolicy.PARTIAL}
    loop = ClassificationIterator(pipelines[0], **options, class_labels=True, batch_form="tuple")
    assert [label.tolist() for _, label in loop] == [[0, 1], [2]]
    options |= {"output_types": [LIST, DENSE], "class_labels": ["y"], "batch_form": "dict"}
    loop = RaggedIterator(pipelines[1], ["x", "y"], **options)
    assert [batch["y"].tolist() for batch in loop] == [[0, 1], [2]]


def test_int64_labels_share_the_memory_of_the_pipeline(given):
    labels = given(label=(list(np.arange(3).reshape(3, 1)), None))
    tensor = next(GenericIterator(labels, batch_form="dict", class_labels="label"))["label"]
    assert tensor._base is not None


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (np.zeros((3, 2), np.int32), r"output 'label' holds torch.int32 of shape \(2,\) for each"),
        (np.full(3, 0.5, np.float32), r"output 'label' holds torch.float32 of shape \(\) for"),
        (np.full(3, np.nan, np.float32), r"output 'label' holds torch.float32 of shape \(\) for"),
    ],
)
def test_what_is_no_class_number(given, rows, message):
    with pytest.raises(ArgumentError, match=message):
        next(GenericIterator(given(label=(list(rows), None)), class_labels="label"))


@pytest.mark.parametrize("layout", ["HWC", "CHW", "DHWC", "CDHW", "FHWC", "CFHW"])
@pytest.mark.parametrize("option", [True, "image", ["image"]])
def test_channels_last(given, layout, option):
    rows, expected = images(layout)
    pipeline = given(image=(rows, layout), label=([[1]] * 3, None))
    batch = next(GenericIterator(pipeline, batch_form="dict", channels_last=option))
    tensor = batch["image"]
    memory_format = torch.channels_last if len(layout) == 3 else torch.channels_last_3d
    assert tensor.is_contiguous(memory_format=memory_format)
    assert (tensor._base is not None) == (layout[-1] == "C")  # a view
    np.testing.assert_array_equal(tensor.numpy(), expected)
    assert batch["label"].shape == (3, 1)
    net = torch.nn.Conv2d(3, 2, 3) if len(layout) == 3 else torch.nn.Conv3d(3, 2, (1, 3, 3))
    assert net.to(memory_format=memory_format)(tensor).is_contiguous(memory_format=memory_format)


def test_a_part_of_a_batch_is_channels_last(pipelines, photo_tree):
    def define():
        encoded, label = fn.readers.file(file_root=photo_tree.root, name="R")
        return {"image": fn.resize(fn.decoders.image(encoded), size=(8, 8)), "label": label}

    pipeline = Pipeline(batch_size=48, num_threads=1)
    pipeline.define(define)
    pipelines.append(pipeline)
    loop = GenericIterator(
        pipeline,
        reader_name="R",
        last_batch_policy="partial",
        batch_form="dict",
        channels_last=True,
    )
    kept = [batch["image"] for batch in loop]
    assert [len(images) for images in kept] == [48, len(photo_tree.files) - 48]
    assert all(images.is_contiguous(memory_format=torch.channels_last) for images in kept)


@pytest.mark.parametrize("layout", [None, "HW", "FCHW"])
def test_what_has_no_channels_in_a_place_that_is_known(given, layout):
    rows = [np.zeros((2, 3, 4, 5)[: len(layout or "abc")], np.uint8)] * 3
    pipeline = given(image=(rows, layout))
    batch = next(GenericIterator(pipeline, batch_form="dict", channels_last=True))
    assert batch["image"].shape == (3, *rows[0].shape)
    with pytest.raises(ArgumentError, match=r"output 'image' has samples of . dimensions and the"):
        next(GenericIterator(pipeline, channels_last="image"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"class_labels": "lable"}, "class_labels names .* 'lable'; did you mean 'label'"),
        ({"channels_last": ["images"]}, "channels_last names .* 'images'; did you mean 'image'"),
        ({"class_labels": True}, "class_labels must be names of outputs; there are image, label"),
        (
            {"class_labels": "image", "channels_last": "image"},
            "'image' is named by class_labels and",
        ),
    ],
)
def test_options_that_do_not_fit(given, options, message):
    pipeline = given(image=([[1]] * 3, None), label=([[1]] * 3, None))
    with pytest.raises(ArgumentError, match=message):
        GenericIterator(pipeline, **options)


def test_outputs_that_are_no_single_tensor_have_no_format(given):
    pipeline = given(image=([[1]] * 3, None), label=([[1]] * 3, None))
    with pytest.raises(ArgumentError, match="'image'; there are label"):
        RaggedIterator(pipeline, output_types=[LIST, DENSE], channels_last="image")


def test_pinned_memory_without_a_device_is_named_as_by_pytorch(given):
    if torch.cuda.is_available():
        pytest.skip("there is a CUDA device")
    pipeline = given(image=([[1]] * 3, None))
    with pytest.warns(UserWarning, match="pin_memory=True has no effect") as caught:
        batch = next(GenericIterator(pipeline, pin_memory=True))[0]
    assert caught[0].filename == __file__
    assert not batch["image"].is_pinned()
    with pytest.warns(UserWarning, match="pin_memory=True") as caught:
        ClassificationIterator(given(a=([[1]] * 3, None), b=([[1]] * 3, None)), pin_memory=True)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        GenericIterator(pipeline, pin_memory=False)


@pytest.mark.parametrize("iterator", [GenericIterator, RaggedIterator])
def test_memory_that_a_pipeline_has_pinned_is_not_shared(given, monkeypatch, iterator):
    """PyTorch cannot pin without a CUDA device, so some memory only says that it is pinned."""
    allocate, own = torch.empty_strided, []

    def empty_strided(*sizes, pin_memory, **options):
        assert pin_memory
        own.append(allocate(*sizes, **options))
        return own[-1]

    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.Tensor, "is_pinned", lambda tensor: True)
    monkeypatch.setattr(torch, "empty_strided", empty_strided)
    rows, expected = images("HWC")
    options = {} if iterator is GenericIterator else {"output_types": [LIST]}
    batch = next(iterator(given(image=(rows, "HWC")), batch_form="dict", **options))["image"]
    if iterator is GenericIterator:
        assert batch.data_ptr() == own[0].data_ptr()
    np.testing.assert_array_equal(np.moveaxis(np.stack(list(batch)), -1, 1), expected)
    assert sum(map(len, own)) == (3 if iterator is GenericIterator else 15)


def test_what_is_pinned(given, monkeypatch):
    """PyTorch cannot pin without a CUDA device, so a mark takes the place of pinned memory."""
    pinned = []

    def pin_memory(tensor):
        pinned.append(tensor)
        return tensor

    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.Tensor, "pin_memory", pin_memory)
    rows, _ = images("HWC")
    loop = RaggedIterator(
        given(image=(rows, "HWC"), label=([[1]] * 3, None), boxes=(rows, None), words=(rows, None)),
        output_types=[DENSE, DENSE, LIST, COO],
        channels_last="image",
        class_labels="label",
        with_valid=True,
        pin_memory=True,
        batch_form="dict",
    )
    batch = next(loop)
    wanted = [batch["image"], batch["label"], *batch["boxes"], batch["valid"]]
    assert [id(tensor) for tensor in pinned] == [id(tensor) for tensor in wanted]
    assert batch["image"].is_contiguous(memory_format=torch.channels_last)
    assert batch["label"].dtype == torch.int64


@pytest.mark.gpu
@pytest.mark.parametrize("works_on_gpu", [False, True])
@pytest.mark.parametrize("pin_memory", [False, True])
def test_pinned_memory_is_not_used_again_before_a_copy_has_ended(works_on_gpu, pin_memory):
    if not torch.cuda.is_available():
        pytest.skip("PyTorch sees no CUDA device")
    number = iter(range(1000))

    def define():
        image = fn.external_source(lambda: np.full((3, 1 << 20), next(number), np.int32))
        small = image[:4]
        outputs = {"image": image + 0, "list": image + 1, "sparse": small}
        return outputs | {"gpu": small.gpu() + 1 if works_on_gpu else small}

    pipeline = Pipeline(batch_size=3, num_threads=1)
    pipeline.define(define)
    loop = RaggedIterator(
        pipeline,
        output_types=[DENSE, LIST, COO, DENSE],
        pin_memory=pin_memory,
        batch_form="dict",
        with_valid=True,
    )
    copies = []
    torch.cuda._sleep(1 << 30)
    for batch, _ in zip(loop, range(20), strict=False):
        assert batch["image"].is_pinned() == (pin_memory or works_on_gpu)
        assert all(tensor.is_pinned() == batch["image"].is_pinned() for tensor in batch["list"])
        assert batch["valid"].is_pinned() == pin_memory
        image, *rows = (
            tensor.to("cuda", non_blocking=True) for tensor in (batch["image"], *batch["list"])
        )
        copies.append((image, rows))
        del batch  # PyTorch waits for the copy before it hands out the memory again
    for i, (image, rows) in enumerate(copies):
        assert (image == i).all()
        assert all((row == i + 1).all() for row in rows)
    pipeline.close()
