"""Requests in batches: which of them fail, and which pipelines are models."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np
import pytest

from penstock import Pipeline, fn, pipeline_def, types
from penstock.engine.errors import ArgumentError
from penstock.serving.model import Model, WholeBatchError
from penstock.serving.model_config import model_config
from penstock.serving.requests import RequestError, RequestSamples

from ..readers.processes import children
from .servers import by_function, doubled, jpeg, mean_colors


def images(*files):
    return RequestSamples(
        len(files), {"encoded": [np.frombuffer(file, np.uint8) for file in files]}
    )


def numbers(*values):
    return RequestSamples(len(values), {"numbers": np.array(values, np.float32)})


@pytest.fixture
def model_of():
    """Makes models, which are closed after the test."""
    models = []

    def make(pipeline, name="model"):
        models.append(Model(name, pipeline))
        return models[-1]

    yield make
    for model in models:
        model.close()


def test_inputs_and_outputs(model_of):
    model = model_of(mean_colors())
    assert [tuple(data) for data in model.inputs.values()] == [("encoded", "BYTES", 1)]
    assert model.inputs["encoded"].dims == (1,)
    assert [tuple(output) for output in model.outputs.values()] == [
        ("OUTPUT_0", "FP32", 1),
        ("OUTPUT_1", "INT64", 1),
    ]
    assert model.max_batch_size == 8


def test_requests_of_unequal_images_share_a_batch(model_of):
    model = model_of(mean_colors())
    first, second = model.compute([images(jpeg(10, 20, 50)), images(jpeg(30, 8), jpeg(9, 9, 200))])
    assert first["OUTPUT_1"].tolist() == [[10, 20, 3]]
    assert second["OUTPUT_1"].tolist() == [[30, 8, 3], [9, 9, 3]]
    assert np.allclose(first["OUTPUT_0"], 50, atol=2)
    assert np.allclose(second["OUTPUT_0"], [[128] * 3, [200] * 3], atol=2)


@pytest.mark.gpu
def test_a_bad_image_fails_alone_on_the_gpu(model_of, device_stage):
    @pipeline_def(batch_size=8, num_threads=2)
    def resized():
        decoded = fn.decoders.image(fn.external_source(name="encoded"), device="mixed")
        return fn.resize(decoded, size=(4, 5))

    model = model_of(resized())
    assert model_config(model, 0.0)["instance_group"] == [{"count": 1, "kind": "KIND_GPU"}]
    assert model.threads == 0
    cut = jpeg(64, 64)[:-40]
    for bad in (b"no image", cut):
        good, failed, last = model.compute(
            [images(jpeg(30, 40, 50)), images(bad), images(jpeg(8, 8), jpeg(20, 9))]
        )
        assert np.allclose(good["OUTPUT_0"], 50, atol=3)
        assert "DecodeError" in str(failed)
        assert last["OUTPUT_0"].shape == (2, 4, 5, 3)
        assert "DecodeError" in str(model.compute([images(bad)])[0])


@pytest.mark.parametrize("on_error", ["raise", "skip", "replace"])
def test_a_bad_image_fails_alone(model_of, on_error):
    model = model_of(mean_colors(on_error=on_error))
    bad = jpeg()[:150]
    results = model.compute([images(jpeg()), images(bad), images(jpeg(9, 9), bad), images(jpeg())])
    assert [isinstance(result, RequestError) for result in results] == [False, True, True, False]
    assert "DecodeError: JPEG" in str(results[1])
    assert str(results[2]).startswith("sample 1: DecodeError")
    assert {result.status for result in results[1:3]} == {400}
    assert results[3]["OUTPUT_1"].tolist() == [[40, 60, 3]]


def test_a_batch_of_bad_images_does_not_end_the_model(model_of):
    model = model_of(mean_colors())
    for _ in range(3):
        (result,) = model.compute([images(b"no image")])
        assert "unknown format" in str(result)
    (result,) = model.compute([images(jpeg())])
    assert result["OUTPUT_1"].tolist() == [[40, 60, 3]]


def test_a_function_that_fails_for_a_whole_batch_fails_for_its_request_alone(model_of):
    def roots(batch):
        if any(number < 0 for number in batch):
            raise ValueError("a root of a negative number")
        return [np.sqrt(number) for number in batch]

    model = model_of(by_function(roots))
    results = model.compute([numbers(4), numbers(-1), numbers(9, 16)])
    assert results[0]["OUTPUT_0"].tolist() == [[2]]
    assert "ValueError: a root of a negative number" in str(results[1])
    assert results[2]["OUTPUT_0"].tolist() == [[3], [4]]


def test_a_lack_of_memory_is_no_fault_of_the_request(model_of):
    def hungry(batch):
        if any(number < 0 for number in batch):
            raise MemoryError("no memory")
        return batch

    model = model_of(by_function(hungry, output_dtype=types.FLOAT, output_ndim=0))
    good, bad = model.compute([numbers(1), numbers(-1)])
    assert good["OUTPUT_0"].tolist() == [[1]]
    assert bad.status == 503


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="/proc tells the processes")
def test_the_death_of_worker_processes_does_not_look_like_a_bad_request(model_of):
    before = set(children())
    model = model_of(mean_colors(exec_processes=True))
    good, bad = images(jpeg()), images(jpeg()[:150])
    results = model.compute([good, bad])
    assert results[0]["OUTPUT_1"].tolist() == [[40, 60, 3]]
    assert "DecodeError" in str(results[1])
    workers = [int(child) for child in set(children()) - before]
    assert len(workers) == 2
    for number in workers:
        os.kill(number, signal.SIGKILL)
    with pytest.raises(WholeBatchError, match="ended by the signal SIGKILL") as caught:
        model.compute([good])
    assert caught.value.status == 500


def test_outputs_that_make_no_tensor_fail_for_their_request(model_of):
    @pipeline_def(batch_size=4, num_threads=1)
    def decoded():
        return fn.decoders.image(fn.external_source(name="encoded"))

    model = model_of(decoded())
    ragged, even = model.compute([images(jpeg(4, 5), jpeg(6, 7)), images(jpeg(8, 9), jpeg(8, 9))])
    assert "(4, 5, 3), (6, 7, 3)" in str(ragged)
    assert "requests of their own" in str(ragged)
    assert even["OUTPUT_0"].shape == (2, 8, 9, 3)


def test_outputs_of_a_dictionary_have_its_names(model_of):
    @pipeline_def(batch_size=2, num_threads=1)
    def named():
        numbers = fn.external_source(name="numbers", dtype=types.FLOAT, ndim=0)
        return {"twice": numbers * 2, "half": numbers / 2}

    model = model_of(named())
    assert list(model.outputs) == ["twice", "half"]
    assert {k: v.tolist() for k, v in model.compute([numbers(4)])[0].items()} == {
        "twice": [[8]],
        "half": [[2]],
    }


def test_numbers_count_as_tensors_of_one_element(model_of):
    model = model_of(doubled())
    assert model.inputs["numbers"].dims == model.outputs["OUTPUT_0"].dims == (1,)
    (result,) = model.compute([numbers(1, 2)])
    assert result["OUTPUT_0"].tolist() == [[2], [4]]


def test_declared_outputs_serve_where_no_sample_can_be_made_up(model_of):
    def strict(batch):
        if any(number != 7 for number in batch):
            raise ValueError("only sevens")
        return batch

    with pytest.raises(ArgumentError, match=r"only sevens.*output_dtype=types.FLOAT"):
        Model("model", by_function(strict))
    model = model_of(by_function(strict, output_dtype=types.FLOAT, output_ndim=0))
    assert tuple(model.outputs["OUTPUT_0"]) == ("OUTPUT_0", "FP32", 0)
    assert model.compute([numbers(7)])[0]["OUTPUT_0"].tolist() == [[7]]


def test_sound(model_of):
    @pipeline_def(batch_size=4, num_threads=1)
    def sounds():
        audio, rate = fn.decoders.audio(fn.external_source(name="wav"), downmix=True)
        return audio, rate

    model = model_of(sounds())
    assert tuple(model.inputs["wav"]) == ("wav", "BYTES", 1)
    assert [spec.datatype for spec in model.outputs.values()] == ["FP32", "FP32"]


@pytest.mark.parametrize(
    ("define", "text"),
    [
        (lambda: fn.readers.file(files=[__file__])[0], "has data of its own"),
        (lambda: fn.external_source(lambda i: np.zeros((2, 1)), name="n"), "has data of its own"),
        (lambda: fn.external_source(name="n", num_outputs=2)[0], "without num_outputs"),
        (lambda: fn.random.uniform(), "has no input"),
        (lambda: fn.external_source(name="n") * 2, "dtype=types.FLOAT, ndim=3"),
        (lambda: fn.external_source(name="n", dtype=types.INT32) * 2, "ndim=3 or layout='HWC'"),
        (lambda: fn.external_source(name="n", ndim=2) * 2, "dtype=types.FLOAT"),
    ],
)
def test_pipelines_that_are_no_models(define, text):
    with pytest.raises(ArgumentError, match=text):
        Model("model", pipeline_def(define, batch_size=2, num_threads=1)())


def test_names_of_models():
    for name in ("", "a/b", "../up", "a b", ".hidden"):
        with pytest.raises(ArgumentError, match="is no name of a model"):
            Model(name, doubled())


def test_a_pipeline_that_runs_already_stops_at_errors():
    pipeline = doubled()
    pipeline.build()
    with pytest.raises(ArgumentError, match="built already"):
        Model("model", pipeline)
    pipeline.close()
    with Pipeline.deserialize(doubled(on_error="replace").serialize()) as built:
        Model("model", built)


def test_requests_that_an_output_leaves_out_fail(model_of):
    @pipeline_def(batch_size=4, num_threads=1, enable_conditionals=True)
    def split():
        value = fn.external_source(name="numbers", dtype=types.FLOAT, ndim=0)
        outputs = []
        if value >= 0:
            outputs.append(value + 1)
        return outputs[0]

    taken, left_out = model_of(split()).compute([numbers(1), numbers(-1)])
    assert taken["OUTPUT_0"].tolist() == [[2]]
    assert "samples of one branch alone" in str(left_out)
