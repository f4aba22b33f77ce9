"""Layouts that come with the data of `external_source`: what operators make of them."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn, types
from penstock.backend import TensorCPU, TensorListCPU
from penstock.engine.errors import ArgumentError, LayoutError

from ..running import pixels

CHW = pixels(3, 8, 10)
HWC = np.ascontiguousarray(CHW.transpose(1, 2, 0))
FCHW = pixels(2, 3, 8, 10)


def layouts_and_rows(outputs):
    return [(out.layout(), np.array(out.as_cpu().at(0))) for out in outputs]


def run_fed(operator, data, layout, batches=1, **options):
    """Return the layout and the first row of each output, for data that are fed."""
    with Pipeline(1, 2, **options) as pipe:
        pipe.set_outputs(operator(fn.external_source(name="data")))
    with pipe:
        for _ in range(batches):
            pipe.feed_input("data", [data], layout=layout)
            outputs = pipe.run()
        return layouts_and_rows(outputs)


def run_declared(operator, data, layout, **options):
    """Return the same, for data whose layout the definition declares."""
    with Pipeline(1, 2, **options) as pipe:
        pipe.set_outputs(operator(fn.external_source(lambda: [data], layout=layout)))
    with pipe:
        return layouts_and_rows(pipe.run())


def assert_same(results, wanted):
    assert [layout for layout, _ in results] == [layout for layout, _ in wanted]
    for (_, result), (_, expected) in zip(results, wanted, strict=True):
        np.testing.assert_array_equal(result, expected)


OPERATORS = {
    "flip": fn.flip,
    "crop": lambda x: fn.crop(x, crop=(4, 5)),
    "resize": lambda x: fn.resize(x, size=(4, 5)),
    "crop_mirror_normalize": lambda x: fn.crop_mirror_normalize(x, crop=(4, 5), output_layout=""),
    "random_resized_crop": lambda x: fn.random_resized_crop(x, size=(4, 4), seed=3),
    "gaussian_blur": lambda x: fn.gaussian_blur(x, sigma=1.0),
    "laplacian": lambda x: fn.laplacian(x, window_size=3),
    "erase": lambda x: fn.erase(x, anchor=(1.0,), shape=(2.0,), axis_names="W"),
    "slice": lambda x: fn.slice(x, start=(1,), shape=(2,), axis_names="H"),
    "pad": lambda x: fn.pad(x, axis_names="W", align=8),
    "normalize": lambda x: fn.normalize(x, axis_names="HW"),
    "mean": lambda x: fn.reductions.mean(x, axis_names="W"),
    "cat": lambda x: fn.cat(x, x, axis_name="W"),
    "stack": lambda x: fn.stack(x, x, axis=1, axis_name="Q"),
    "expand_dims": lambda x: fn.expand_dims(x, axes=[1], new_axis_names="Q"),
    "squeeze": lambda x: fn.squeeze(
        fn.expand_dims(x, axes=[1], new_axis_names="Q"), axis_names="Q"
    ),
    "tensor_resize": lambda x: fn.tensor_resize(x, sizes=(4, 5), axis_names="HW"),
    "transpose": fn.transpose,
    "cast": lambda x: fn.cast(x, dtype=types.FLOAT),
    "arithmetic": lambda x: x * 2 + 1,
    "lookup_table": lambda x: fn.lookup_table(x, keys=[1, 2], values=[5.0, 6.0]),
    "one_hot": lambda x: fn.one_hot(x, num_classes=3, axis_name="O"),
    "subscript": lambda x: x[0],
    "reshape": lambda x: fn.reshape(x, shape=fn.cast(fn.shapes(x), dtype=types.INT32)),
    "noise": lambda x: fn.noise.gaussian(x, stddev=9.0, seed=5),
    "get_property": lambda x: fn.get_property(x, key="layout"),
    "steps": lambda x: fn.pad(fn.crop(fn.flip(x), crop=(4, 5)), axis_names="W", align=4) + 1,
}


@pytest.mark.parametrize(("data", "layout"), [(CHW, "CHW"), (FCHW, "FCHW")], ids=["CHW", "FCHW"])
@pytest.mark.parametrize("name", OPERATORS)
def test_fed_layouts_work_as_declared_ones(name, data, layout):
    results = run_fed(OPERATORS[name], data, layout, seed=7)
    assert_same(results, run_declared(OPERATORS[name], data, layout, seed=7))


@pytest.mark.parametrize("name", ["flip", "resize", "crop", "pad", "cast", "arithmetic", "steps"])
def test_on_the_gpu(name, device_stage):
    results = run_fed(lambda x: OPERATORS[name](x.gpu()), CHW, "CHW")
    assert_same(results, run_declared(lambda x: OPERATORS[name](x.gpu()), CHW, "CHW"))


SOURCES = {
    "a list": lambda: TensorListCPU(CHW[None], "CHW"),
    "tensors": lambda: [TensorCPU(CHW, "CHW")],
    "some tensors": lambda: [TensorCPU(CHW, "CHW"), TensorCPU(CHW)],
}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_sources_that_return_layouts(source):
    with Pipeline(2, 1) as pipe:
        pipe.set_outputs(fn.flip(fn.external_source(source)))
    with pipe:
        ((layout, row),) = layouts_and_rows(pipe.run())
    assert layout == "CHW"
    np.testing.assert_array_equal(row, CHW[:, :, ::-1])


def test_a_source_of_samples():
    with Pipeline(2, 1) as pipe:
        samples = fn.external_source(lambda info: TensorCPU(CHW, "CHW"), batch=False, parallel=True)
        pipe.set_outputs(fn.flip(samples))
    with pipe:
        ((layout, row),) = layouts_and_rows(pipe.run())
    assert layout == "CHW"
    np.testing.assert_array_equal(row, CHW[:, :, ::-1])


def test_each_output_has_its_layout():
    def source():
        return TensorListCPU(CHW[None], "CHW"), [TensorCPU(HWC, "HWC")], [HWC]

    with Pipeline(1, 1) as pipe:
        nodes = fn.external_source(source, num_outputs=3, layout=[None, None, "HWC"])
        pipe.set_outputs(*map(fn.flip, nodes))
    with pipe:
        results = layouts_and_rows(pipe.run())
    mirrored = HWC[:, ::-1]
    assert_same(results, [("CHW", CHW[:, :, ::-1]), ("HWC", mirrored), ("HWC", mirrored)])


@pytest.mark.parametrize("processes", [False, True])
def test_the_layout_may_change_from_batch_to_batch(processes):
    batches = [(CHW, "CHW"), (HWC, "HWC"), (HWC, ""), (CHW, "CHW"), (FCHW, "FCHW")]
    given = iter(batches)
    with Pipeline(1, 2, exec_processes=processes) as pipe:
        data = fn.external_source(lambda: TensorListCPU(*_with_axis(*next(given))))
        pipe.set_outputs(fn.crop(fn.flip(data), crop=(4, 5)), data)
    with pipe:
        for data, layout in batches:
            flipped, whole = layouts_and_rows(pipe.run())
            wanted = run_declared(lambda x: fn.crop(fn.flip(x), crop=(4, 5)), data, layout or None)
            assert_same([flipped], wanted)
            assert whole[0] == layout


def _with_axis(data, layout):
    return data[None], layout


@pytest.mark.parametrize("processes", [False, True])
def test_a_layout_may_be_needed_before_it_is_known(processes):
    results = run_fed(OPERATORS["slice"], CHW, "CHW", batches=3, exec_processes=processes)
    assert_same(results, [("CHW", CHW[:, 1:3])])


def test_data_without_a_needed_layout_are_refused_with_the_line_of_the_program():
    with Pipeline(1, 1) as pipe:
        pipe.set_outputs(fn.cat(*[fn.external_source(name="data")] * 2, axis_name="W"))
    pipe.feed_input("data", [CHW])
    with pipe, pytest.raises(LayoutError, match="no axis 'W': it has no layout") as caught:
        pipe.run()
    notes = "\n".join(caught.value.__notes__)
    assert "fn.cat" in notes
    assert __file__ in notes


def test_an_operator_refuses_the_layout_of_the_data():
    with Pipeline(1, 1) as pipe:
        pipe.set_outputs(fn.rotate(fn.external_source(name="data"), angle=90.0))
    pipe.feed_input("data", [CHW], layout="CHW")
    with pipe, pytest.raises(ValueError, match="the sample is 'CHW'") as caught:
        pipe.run()
    assert __file__ in "\n".join(caught.value.__notes__)


def test_definitions_that_no_layout_could_mend_fail_at_once():
    with Pipeline(1, 1):
        data = fn.external_source(name="data")
        declared = fn.external_source(name="declared", layout="")
        with pytest.raises(ArgumentError, match="no argument"):
            fn.cat(data, data, axis_name="W", nothing=1)
        with pytest.raises(ArgumentError, match="single letter"):
            fn.cat(data, data, axis_name="WH")
        with pytest.raises(LayoutError, match="no axis 'W'"):
            fn.cat(declared, declared, axis_name="W")


@pytest.mark.parametrize("data", [[CHW], [TensorCPU(CHW, "CHW")], TensorListCPU(CHW[None], "CHW")])
@pytest.mark.parametrize("declared", ["HWC", ""])
def test_fed_layouts_must_be_those_declared(declared, data):
    with Pipeline(1, 1) as pipe:
        pipe.set_outputs(fn.external_source(name="data", layout=declared))
    layout = "CHW" if data[0] is CHW else None
    with pipe, pytest.raises(LayoutError, match="'CHW'; feed data of the declared layout"):
        pipe.feed_input("data", data, layout=layout)


def test_the_declaration_of_a_source_names_its_data_anew():
    with Pipeline(1, 1) as pipe:
        pipe.set_outputs(fn.external_source(lambda: [TensorCPU(CHW, "CHW")], layout="XYZ"))
    with pipe:
        assert pipe.run()[0].layout() == "XYZ"


def test_the_call_names_the_data_anew():
    ((layout, _),) = run_fed(lambda x: x, TensorCPU(CHW, "CHW"), "XYZ")
    assert layout == "XYZ"


def test_samples_of_several_layouts_are_refused():
    with Pipeline(2, 1) as pipe:
        pipe.set_outputs(fn.external_source(name="data"))
    with pipe, pytest.raises(LayoutError, match="have the layouts CHW, HWC"):
        pipe.feed_input("data", [TensorCPU(CHW, "CHW"), TensorCPU(HWC, "HWC")])


def test_a_layout_of_another_number_of_dimensions_is_refused():
    with Pipeline(1, 1) as pipe:
        pipe.set_outputs(fn.external_source(name="data"))
    with pipe, pytest.raises(LayoutError, match="'HW', which does not describe"):
        pipe.feed_input("data", [CHW], layout="HW")


def test_dimensions_without_names():
    ((layout, _),) = run_fed(lambda x: x, CHW, "F**")
    assert layout == "F**"
    ((layout, _),) = run_declared(lambda x: x, CHW, "F**")
    assert layout == "F**"
    with pytest.raises(ArgumentError, match="a letter names two dimensions"):
        fn.external_source(layout="FF*")


def test_frames_of_fed_sequences(device):
    def mirrored(data):
        chosen = fn.per_frame(fn.external_source(lambda: [np.int32([1, 0])]))
        return fn.flip(data.gpu() if device == "gpu" else data, horizontal=chosen)

    ((layout, row),) = run_fed(mirrored, FCHW, "FCHW")
    assert layout == "FCHW"
    np.testing.assert_array_equal(row, [FCHW[0, :, :, ::-1], FCHW[1]])


def test_light_operators_on_fed_sequences():
    """Work on whole batches becomes work on samples, which needs workers."""
    boxes = np.float32([[[0.1, 0.2, 0.4, 0.5]], [[0.1, 0.2, 0.4, 0.5]]])

    def mirrored(data):
        chosen = fn.per_frame(fn.external_source(lambda: [np.int32([1, 0])]))
        return fn.bb_flip(data, ltrb=True, horizontal=chosen)

    ((layout, row),) = run_fed(mirrored, boxes, "F**")
    assert layout == "F**"
    np.testing.assert_allclose(row[:, 0, 0], [0.6, 0.1], atol=1e-6)


def test_bad_samples_of_fed_data_are_replaced():
    with Pipeline(2, 1, on_error="replace") as pipe:
        data = fn.external_source(name="data")
        pipe.set_outputs(fn.slice(data, start=(0,), shape=(9,), axis_names="W"))
    pipe.feed_input("data", [CHW, CHW[:, :, :4]], layout="CHW")
    with pipe:
        (out,) = pipe.run()
        assert out.valid.tolist() == [True, False]
        assert out.layout() == "CHW"
        np.testing.assert_array_equal(out.at(1), CHW[:, :, :9])


def test_repeated_batches_keep_their_layout():
    with Pipeline(1, 1) as pipe:
        pipe.set_outputs(fn.flip(fn.external_source(name="data", repeat_last=True)))
    pipe.feed_input("data", [CHW], layout="CHW")
    with pipe:
        assert [pipe.run()[0].layout() for _ in range(3)] == ["CHW"] * 3


def test_layouts_after_the_end_of_the_data():
    with Pipeline(1, 1) as pipe:
        batches = [TensorListCPU(CHW[None], "CHW"), TensorListCPU(HWC[None], "HWC")]
        pipe.set_outputs(fn.flip(fn.external_source(batches, cycle="raise")))
    with pipe:
        for _ in range(2):
            assert [out.layout() for (out,) in pipe] == ["CHW", "HWC"]
            pipe.reset()
