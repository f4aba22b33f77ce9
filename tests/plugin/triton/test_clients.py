"""Penstock's server, asked by Triton's own clients."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack

import numpy as np
import pytest

from penstock import fn, pipeline_def, types

from ...serving.servers import doubled, jpeg, mean_colors, running

clients = pytest.importorskip("tritonclient.http", reason="Triton's client, with its extra http")
aio = pytest.importorskip("tritonclient.http.aio", reason="Triton's client, with its extra http")
from tritonclient.utils import InferenceServerException  # noqa: E402  (after the skip)

CLIENTS = 100


@pytest.fixture(scope="module")
def server():
    with running(mean_colors(), max_request_bytes=1 << 20) as server:
        yield server


@pytest.fixture
def client(server):
    with clients.InferenceServerClient(f"127.0.0.1:{server.port}") as client:
        yield client


def images(*files, shape=None, datatype="BYTES", name="encoded", binary=True):
    array = np.empty(len(files), object)
    array[:] = files
    tensor = clients.InferInput(name, shape or [len(files), 1], datatype)
    return [tensor.set_data_from_numpy(array.reshape(tensor.shape()), binary_data=binary)]


def test_what_the_server_tells(client):
    assert client.is_server_live()
    assert client.is_server_ready()
    assert client.is_model_ready("model")
    assert client.is_model_ready("model", "1")
    assert not client.is_model_ready("other")
    assert client.get_server_metadata()["name"] == "penstock"
    assert client.get_model_metadata("model")["inputs"] == [
        {"name": "encoded", "datatype": "BYTES", "shape": [-1, 1]}
    ]
    assert client.get_model_config("model")["max_batch_size"] == 8
    assert client.get_model_repository_index()[0]["state"] == "READY"
    before = client.get_inference_statistics("model")["model_stats"][0]["inference_count"]
    client.infer("model", images(jpeg(), jpeg()))
    assert client.get_inference_statistics()["model_stats"][0]["inference_count"] == before + 2


@pytest.mark.parametrize("compression", [None, "gzip", "deflate"])
@pytest.mark.parametrize("count", [1, 3, 8])
def test_batches_of_images_of_unequal_sizes(client, count, compression):
    sizes = [(10 + i, 30 - i) for i in range(count)]
    result = client.infer(
        "model",
        images(*(jpeg(*size) for size in sizes)),
        request_id="one",
        request_compression_algorithm=compression,
        response_compression_algorithm=compression,
    )
    assert result.as_numpy("OUTPUT_1").tolist() == [[*size, 3] for size in sizes]
    assert np.allclose(result.as_numpy("OUTPUT_0"), 128, atol=2)
    assert result.get_response()["id"] == "one"


def test_outputs_in_json_and_as_binary_data(client):
    wanted = [
        clients.InferRequestedOutput("OUTPUT_1", binary_data=False),
        clients.InferRequestedOutput("OUTPUT_0", binary_data=True),
    ]
    result = client.infer("model", images(jpeg(7, 9)), outputs=wanted, model_version="1")
    assert result.get_output("OUTPUT_1")["data"] == [7, 9, 3]
    assert result.as_numpy("OUTPUT_0").shape == (1, 3)
    only = client.infer("model", images(jpeg(7, 9)), outputs=wanted[:1])
    assert only.as_numpy("OUTPUT_0") is None


def test_every_type_goes_there_and_back():
    names = ("BOOL", "UINT8", "UINT16", "UINT32", "UINT64", "INT8", "INT16", "INT32", "INT64")
    protocol = {"FLOAT16": "FP16", "FLOAT": "FP32", "FLOAT64": "FP64"}

    @pipeline_def(batch_size=4, num_threads=1)
    def echo():
        return tuple(
            fn.external_source(name=name, dtype=getattr(types, name), ndim=2)
            for name in (*names, *protocol)
        )

    with (
        running(echo()) as server,
        clients.InferenceServerClient(f"127.0.0.1:{server.port}") as client,
    ):
        inputs, arrays = [], []
        for spec in server.model.inputs.values():
            datatype = protocol.get(spec.name, spec.name)
            array = (np.arange(12) % 2).reshape(2, 2, 3).astype(clients_dtype(datatype))
            tensor = clients.InferInput(spec.name, [2, 2, 3], datatype)
            inputs.append(tensor.set_data_from_numpy(array))
            arrays.append(array)
        result = client.infer("model", inputs)
        for i, array in enumerate(arrays):
            output = result.as_numpy(f"OUTPUT_{i}")
            assert output.dtype == array.dtype
            assert np.array_equal(output, array)


def clients_dtype(datatype):
    from tritonclient.utils import triton_to_np_dtype

    return triton_to_np_dtype(datatype)


@pytest.mark.parametrize(
    ("inputs", "text"),
    [
        (images(jpeg()[:150]), "DecodeError: JPEG"),
        (images(jpeg(), b"no image"), "sample 1: DecodeError: image: unknown format"),
        (images(b""), "no data"),
        (images(jpeg(), name="image"), "no input 'image'; its inputs are encoded"),
        (images(jpeg(), shape=[1, 1, 1]), "must have the shape"),
        (images(*[jpeg()] * 9), "has 9 samples; a request may have 1 to 8"),
        (
            [clients.InferInput("encoded", [1, 4], "INT8").set_data_from_numpy(np.int8([[1] * 4]))],
            "must be of type BYTES, but is 'INT8'",
        ),
        (images("no image", binary=False), "unknown format"),
    ],
)
def test_wrong_requests_get_status_400_and_the_reason(client, inputs, text):
    with pytest.raises(InferenceServerException, match=text) as caught:
        client.infer("model", inputs)
    assert caught.value.status() == "400"
    client.infer("model", images(jpeg()))


def test_other_statuses(client):
    with pytest.raises(InferenceServerException, match="no model 'other'") as caught:
        client.infer("other", images(jpeg()))
    assert caught.value.status() == "404"
    with pytest.raises(InferenceServerException, match="the server takes 1,048,576") as caught:
        client.infer("model", images(bytes(1 << 20)))
    assert caught.value.status() == "413"


def test_a_hundred_clients_at_a_time_some_with_bad_images(server):
    async def ask(i):
        async with aio.InferenceServerClient(f"127.0.0.1:{server.port}") as client:
            for _ in range(3):
                files = [jpeg(10 + i, 20), jpeg(5, 6 + i)][: 1 + i % 2]
                if i % 10 == 9:
                    with pytest.raises(InferenceServerException, match="DecodeError"):
                        await client.infer("model", images(*files[:-1], b"bad"))
                else:
                    result = await client.infer("model", images(*files))
                    expected = [[10 + i, 20, 3], [5, 6 + i, 3]][: 1 + i % 2]
                    assert result.as_numpy("OUTPUT_1").tolist() == expected

    async def ask_all():
        await asyncio.gather(*map(ask, range(CLIENTS)))

    asyncio.run(ask_all())


def test_a_client_goes_on_after_the_server_has_started_again():
    number = clients.InferInput("numbers", [1, 1], "FP32").set_data_from_numpy(np.float32([[3]]))
    with ExitStack() as ends:
        client, port = None, 0
        for _ in range(3):
            with running(doubled(), port=port) as server:
                port = server.port
                if client is None:
                    client = clients.InferenceServerClient(f"127.0.0.1:{port}")
                    ends.callback(client.close)
                assert client.infer("model", [number]).as_numpy("OUTPUT_0").tolist() == [[6]]
            with pytest.raises(OSError):
                client.infer("model", [number])
