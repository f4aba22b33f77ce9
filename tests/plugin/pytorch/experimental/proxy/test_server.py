"""DALIServer and its proxy, in one process: arguments, outputs, and batches by hand."""

from __future__ import annotations

import inspect
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from PIL import Image

torch = pytest.importorskip("torch")

from torch.utils.data import default_collate  # noqa: E402  (only where PyTorch is)

from penstock import ArgumentError, Pipeline, fn, pipeline_def  # noqa: E402
from penstock.plugin.pytorch.experimental import proxy  # noqa: E402
from penstock.tensors import TensorCPU  # noqa: E402


def sums():
    a, b = fn.external_source(name="a"), fn.external_source(name="b")
    return a + b, b - a


def same():
    return fn.external_source(name="data") + 0


def test_it_takes_the_place_of_the_pipeline_for_batches_made_by_hand(serve):
    generator = np.random.default_rng(1)
    with serve(sums) as server:
        items = []
        for _ in range(4):
            a, b = generator.random((2, 3, 3), np.float32)
            items.append((a, b, *server.proxy(b=b, a=a)))
        a, b, total, difference = server.produce_data(default_collate(items))
    assert torch.equal(total, a + b)
    assert torch.equal(difference, b - a)


def test_one_input_goes_by_position_or_by_name(serve):
    server = serve(same)
    outputs = [server.proxy(np.int32(1)), server.proxy(data=np.int32(2))]
    assert server.produce_data(default_collate(outputs)).tolist() == [1, 2]
    assert server.proxy is server.proxy
    assert str(inspect.signature(server.proxy)).startswith("(data)")


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda take: take(1, 2), "too many positional arguments"),
        (lambda take: take(a=1), "missing a required"),
        (lambda take: take(a=1, b=2, c=3), "unexpected keyword argument 'c'"),
    ],
)
def test_a_wrong_call_shows_the_signature(serve, call, problem):
    take = serve(sums).proxy
    with pytest.raises(ValueError, match=problem) as caught:
        call(take)
    assert "Expected signature is: (*, a, b)" in str(caught.value)


@pytest.mark.parametrize(
    "value",
    [
        np.arange(6, dtype=np.uint8).reshape(2, 3)[:, ::-1],
        torch.arange(6, dtype=torch.uint8).reshape(2, 3).requires_grad_(False),
        Image.fromarray(np.arange(6, dtype=np.uint8).reshape(2, 3)),
        [[1, 2, 3], [4, 5, 6]],
        np.float32(7),
        7,
        True,
    ],
)
def test_inputs_are_arrays_tensors_images_and_numbers(serve, value):
    server = serve(lambda: fn.cast_like(fn.external_source(name="data"), np.int64(0)))
    output = server.produce_data(server.proxy(value))
    assert np.array_equal(output, np.asarray(value).astype(np.int64))


@pytest.mark.parametrize("value", ["text", b"bytes", None, {"a": 1}, [[1], [2, 3]], object()])
def test_other_inputs_are_refused_at_once(serve, value):
    with pytest.raises(ArgumentError, match="input 'data'"):
        serve(same).proxy(value)


def test_a_tensor_that_needs_a_gradient_is_taken_without_it(serve):
    server = serve(same)
    output = server.produce_data(server.proxy(torch.ones(2, requires_grad=True)))
    assert output.tolist() == [1, 1]


def test_a_layout_comes_with_the_sample(serve):
    server = serve(lambda: fn.crop(fn.external_source(name="data"), crop=(1, 2)))
    image = TensorCPU(np.arange(12, dtype=np.uint8).reshape(2, 3, 2), "HWC")
    assert server.produce_data(server.proxy(image)).shape == (1, 2, 2)


def test_several_calls_of_a_sample_are_batches_of_their_own(serve):
    server = serve(same)
    items = [(server.proxy(np.int32(i)), -i, server.proxy(np.int32(10 * i))) for i in range(4)]
    first, plain, second = server.produce_data(default_collate(items))
    assert (first.tolist(), second.tolist()) == ([0, 1, 2, 3], [0, 10, 20, 30])
    assert plain.tolist() == [0, -1, -2, -3]


def test_an_output_that_is_used_twice_is_computed_once(serve):
    computed = []

    def noted(x):
        computed.append(int(x))
        return x

    server = serve(lambda: fn.python_function(fn.external_source(name="data"), function=noted))
    outputs = [server.proxy(np.int32(i)) for i in range(3)]
    first, again, one = server.produce_data(
        [*default_collate([(x, x) for x in outputs]), outputs[2]]
    )
    assert first is again
    assert (first.tolist(), int(one)) == ([0, 1, 2], 2)
    assert sorted(computed) == [0, 1, 2]


def test_a_pipeline_that_returns_a_dictionary_has_one_of_placeholders():
    @pipeline_def(batch_size=2, num_threads=1)
    def named():
        a, b = sums()
        return {"sum": a, "difference": b}

    with named() as pipeline:
        server = proxy.DALIServer(pipeline)
        items = [server.proxy(a=i, b=10 * i) for i in range(2)]
        outputs = server.produce_data(default_collate(items))
    assert {name: x.tolist() for name, x in outputs.items()} == {
        "sum": [0, 11],
        "difference": [0, 9],
    }


def test_samples_that_are_not_collated_may_differ_in_shape(serve):
    server = serve(same, batch_size=2)
    outputs = [server.proxy(np.full(i, i, np.int32)) for i in range(5)]  # three batches
    assert [x.tolist() for x in server.produce_data(outputs)] == [[i] * i for i in range(5)]


def test_collated_samples_must_have_one_shape(serve):
    server = serve(same)
    batch = default_collate([server.proxy(np.zeros(i, np.int32)) for i in range(1, 3)])
    with pytest.raises(ArgumentError, match=r"output '0'.*keep the samples apart"):
        server.produce_data(batch)


def test_a_batch_may_be_asked_for_again_and_out_of_order(serve):
    server = serve(same, batch_size=1)
    batches = [default_collate([server.proxy(np.int32(i))]) for i in range(8)]
    for batch in batches:
        server.submit(batch)
    for i in (7, 0, 3, 3):
        assert server.produce_data(batches[i]).tolist() == [i]


def test_data_without_placeholders_are_returned_as_they_are(serve):
    data = {"a": [1, (2,)]}
    assert serve(same).produce_data(data) is data


def test_samples_that_do_not_belong_together_are_refused(serve):
    one, other, two = serve(same), serve(same), serve(sums)
    with pytest.raises(RuntimeError, match="All samples should belong to the same batch"):
        default_collate([one.proxy(1), other.proxy(1)])
    with pytest.raises(RuntimeError, match="All samples should belong to the same batch"):
        default_collate(list(two.proxy(a=1, b=1)))
    with pytest.raises(TypeError, match="mixes outputs of the proxy with other data, here a int"):
        default_collate([one.proxy(1), 1])
    with pytest.raises(ArgumentError, match="the proxy of another server"):
        one.produce_data(other.proxy(1))


def test_the_collate_function_has_its_older_name(serve):
    server = serve(same)
    batch = proxy._collate_dali_output_sample_ref_fn([server.proxy(1), server.proxy(2)])
    assert isinstance(batch, proxy.DALIOutputBatchRef)
    assert repr(batch) == "DALIOutputBatchRef(samples=2, output_idx=0)"
    assert repr(server.proxy(1)) == "DALIOutputSampleRef(inputs=['data'], output_idx=0)"


def test_placeholders_and_the_proxy_can_be_pickled(serve):
    server = serve(same)
    take = pickle.loads(pickle.dumps(server.proxy))
    one = take(np.int32(3))
    batch = default_collate([take(np.int32(1)), take(np.int32(2))])
    one, batch = server.produce_data(pickle.loads(pickle.dumps((one, batch))))
    assert (int(one), batch.tolist()) == (3, [1, 2])
    with pytest.raises(TypeError, match=r"give the data set `server\.proxy`"):
        pickle.dumps(server)


def test_outputs_share_the_memory_of_the_pipeline_and_stay_as_they_are(serve):
    server = serve(same)
    kept = [server.produce_data(default_collate([server.proxy(i)] * 2)) for i in range(20)]
    assert [x.tolist() for x in kept] == [[i, i] for i in range(20)]
    assert all(x.is_contiguous() for x in kept)


def test_several_threads_may_ask_for_their_batches(serve):
    server = serve(same)

    def work(first):
        for i in range(first, first + 40):
            batch = default_collate([server.proxy(np.int32(i))] * 3)
            assert server.produce_data(batch).tolist() == [i] * 3
        return first

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, range(0, 400, 100))) == [0, 100, 200, 300]


def test_what_is_no_pipeline_with_inputs_is_refused():
    with pytest.raises(TypeError, match="Expected a pipeline, got: 3"):
        proxy.DALIServer(3)
    with pytest.raises(TypeError, match="without debug=True"):
        proxy.DALIServer(pipeline_def(same)(batch_size=1, num_threads=1, debug=True))
    without = Pipeline(1, num_threads=1)
    with without:
        without.set_outputs(fn.random.uniform())
    with pytest.raises(RuntimeError, match="doesn't have any inputs"):
        proxy.DALIServer(without)
    odd = Pipeline(1, num_threads=1)
    with odd:
        odd.set_outputs(fn.external_source(name="a b"))
    with pytest.raises(ArgumentError, match="'a b' needs a name"):
        proxy.DALIServer(odd)


def test_a_source_without_a_name_is_an_input_too(serve):
    server = serve(lambda: fn.external_source() * 3)
    assert int(server.produce_data(server.proxy(np.int32(2)))) == 6


def test_outputs_are_held_against_their_declaration(serve):
    server = serve(same, output_ndim=[1])
    assert server.produce_data(server.proxy(np.zeros(2))).shape == (2,)
    with pytest.raises(ArgumentError, match="output_ndim declares 1"):
        server.produce_data(server.proxy(np.zeros((2, 2))))
    assert server.produce_data(server.proxy(np.zeros(2))).shape == (2,)
