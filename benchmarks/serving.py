"""A pipeline behind the HTTP server, beside the same pipeline in a loop.

The pipeline decodes JPEG files, resizes and normalizes them. The loop feeds it full batches. Server
and loop run on `--cores`, each in a process of its own, and the clients on `--client-cores`. Three
figures are printed for each output:

- images a second, with as many clients as keep the server busy, beside the loop.
- the CPU time of the server's process for a hundred images, beside that of the loop's process.
  Other work on the machine changes this ratio less than the first one.
- the 99th percentile of the time of a request, beside twice the median, at half of that rate. The
  requests come at random. A ratio from 1 on means that the percentile is under twice the median.

    python benchmarks/serving.py [--cores 0-3] [--client-cores 4-7] [--clients 64] [--images 1]
        [--batch 32] [--seconds 3] [--outputs uint8 float] [--processes] [--json FILE]
        [--rounds 5]

With --processes, both pipelines compute in processes instead of threads. One response in 61 is
compared with the response to the same request alone, and samples of the loop as `looking.py` says.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import sys
import threading
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from statistics import median, quantiles
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from penstock import fn, pipeline_def, types
from penstock.benchmarks import common
from penstock.benchmarks.looking import (
    ONE_IN,
    Looked,
    Looks,
    Take,
    checked,
    compare,
    sum_of_words,
)

FILES = 64
WARM_UP_SECONDS = 1.0
OUTPUTS = {"uint8": types.UINT8, "float": types.FLOAT}


@pipeline_def
def preprocessed(dtype: Any) -> Any:
    """Images of 224 x 224 from encoded ones."""
    images = fn.decoders.image(fn.external_source(name="encoded"))
    images = fn.resize(images, size=(224, 224))
    if dtype == types.UINT8:
        return images
    return fn.crop_mirror_normalize(
        images, dtype=dtype, output_layout="CHW", mean=[123.7, 116.3, 103.5], std=[58.4, 57.1, 57.4]
    )


def opened(options: Namespace, dtype: Any) -> Any:
    """Return the pipeline, on the cores of this process."""
    return preprocessed(
        dtype,
        batch_size=options.batch,
        num_threads=len(options.cores),
        exec_processes=options.processes or None,
    )


def files() -> list[bytes]:
    """Return photographs of 500 x 375 pixels."""
    return [path.read_bytes() for path in sorted(common.photographs(FILES).rglob("*.jpg"))[:FILES]]


class Speed(NamedTuple):
    """Images a second, seconds of CPU time for a hundred images, and what was compared."""

    rate: float
    cpu: float
    compared: int
    wrong: int


def speed_of_loop(options: Namespace, dtype: Any) -> Speed:
    """Return the speed of the pipeline in a loop; runs in a process of its own."""
    os.sched_setaffinity(0, options.cores)
    samples = [np.frombuffer(file, np.uint8) for file in files()]
    batch = (samples * (1 + options.batch // len(samples)))[: options.batch]

    @contextmanager
    def fed() -> Iterator[Take]:
        with opened(options, dtype) as pipeline:
            for _ in range(pipeline.input_feed_count("encoded")):
                pipeline.feed_input("encoded", batch)
            pipeline.schedule_run()

            def take() -> Any:
                pipeline.feed_input("encoded", batch)
                pipeline.schedule_run()
                return pipeline.outputs()

            yield take

    looks = Looks()
    with fed() as take:

        def run() -> None:
            looks.look(take())

        common.run_for(run, WARM_UP_SECONDS)
        started, cpu = perf_counter(), common.cpu_seconds()
        images = options.batch * common.run_for(run, options.seconds)
        used = common.cpu_seconds() - cpu
        rate = images / (perf_counter() - started)
    return Speed(rate, 100 * used / images, *compare(looks, "loop", fed))


def serve(options: Namespace, dtype: Any, told: Any) -> None:
    """Serve the pipeline until the process is ended; tell the port, and then CPU time if asked."""
    from penstock.serving.http_server import Server, ServerLimits
    from penstock.serving.model import Model

    os.sched_setaffinity(0, options.cores)
    pipeline = opened(options, dtype)
    model = Model("preprocessed", pipeline)

    def started(address: str) -> None:
        told.send(int(address.rpartition(":")[2]))
        threading.Thread(target=tell_cpu_seconds, daemon=True).start()

    def tell_cpu_seconds() -> None:
        while told.recv():
            told.send(common.cpu_seconds())

    async def run() -> None:
        await Server(model, ServerLimits()).run("127.0.0.1", 0, started)

    asyncio.run(run())


@contextmanager
def server(options: Namespace, dtype: Any) -> Iterator[tuple[str, Callable[[], float]]]:
    """Run a server in a process; yield the address of its model, and what returns its CPU time."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=serve, args=(options, dtype, theirs), daemon=True)
    process.start()

    def cpu_seconds() -> float:
        ours.send(True)
        return float(ours.recv())

    try:
        yield f"http://127.0.0.1:{ours.recv()}/v2/models/preprocessed", cpu_seconds
    finally:
        process.kill()
        process.join()


class Clients:
    """Sends requests of so many images each, and keeps the seconds that they took.

    Attributes:
        compared, wrong: responses that were compared with those to the same requests alone, and
            those that differ.
    """

    def __init__(self, session: Any, address: str, images: int) -> None:
        self._session = session
        self._address = address
        self._images = images
        every = files()
        self._requests = [
            _request([every[(i + k) % len(every)] for k in range(images)])
            for i in range(len(every))
        ]
        self.seconds: list[float] = []
        self.compared = self.wrong = 0
        self._alone: list[int] = []

    async def ask_alone(self) -> None:
        """Send each request alone, and keep the sums of the responses."""
        self._alone = [_sum(await self.ask(number)) for number in range(len(self._requests))]

    async def ask(self, number: int) -> bytes:
        """Send a request, and return the data of its response."""
        body, headers = self._requests[number % len(self._requests)]
        started = perf_counter()
        url = f"{self._address}/infer"
        async with self._session.post(url, data=body, headers=headers) as response:
            content = await response.read()
            assert response.status == 200, content
            data = content[int(response.headers["Inference-Header-Content-Length"]) :]
        self.seconds.append(perf_counter() - started)
        if self._alone and len(self.seconds) % ONE_IN == 1:
            self.compared += self._images
            if _sum(data) != self._alone[number % len(self._requests)]:
                self.wrong += self._images
        return bytes(data)

    async def keep_busy(self, count: int, seconds: float) -> float:
        """Return the images a second of so many clients, each of which waits for its response."""
        self.seconds.clear()
        started = perf_counter()

        async def client(number: int) -> None:
            while perf_counter() < started + seconds:
                await self.ask(number)
                number += count

        await asyncio.gather(*map(client, range(count)))
        return self._images * len(self.seconds) / (perf_counter() - started)

    async def send_at_random(self, rate: float, seconds: float) -> list[float]:
        """Return the seconds of requests that come at random, so many images a second."""
        self.seconds.clear()
        random = np.random.default_rng(1)
        requests = max(2, int(rate * seconds / self._images))
        times = np.cumsum(random.exponential(self._images / rate, requests))
        started = perf_counter()

        async def at(number: int, moment: float) -> None:
            await asyncio.sleep(max(0.0, started + moment - perf_counter()))
            await self.ask(number)

        await asyncio.gather(*(at(i, moment) for i, moment in enumerate(times.tolist())))
        return list(self.seconds)


def _sum(data: bytes) -> int:
    return sum_of_words(np.frombuffer(data, np.uint8))


def _request(images: list[bytes]) -> tuple[bytes, dict[str, str]]:
    data = b"".join(len(image).to_bytes(4, "little") + image for image in images)
    tensor = {"name": "encoded", "datatype": "BYTES", "shape": [len(images), 1]}
    message = {
        "inputs": [tensor | {"parameters": {"binary_data_size": len(data)}}],
        "parameters": {"binary_data_output": True},
    }
    head = json.dumps(message).encode()
    return head + data, {"Inference-Header-Content-Length": str(len(head))}


class Served:
    """The turns of one output: they share a server for each round."""

    def __init__(self, options: Namespace, dtype: Any) -> None:
        self._options = options
        self._dtype = dtype
        self._waits: list[float] = []

    def loop(self) -> Speed:
        """Return the speed of the loop."""
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            return Speed(*pool.apply(speed_of_loop, (self._options, self._dtype)))

    def server(self) -> Speed:
        """Return the speed of the server, and measure the times at half of its rate."""
        os.sched_setaffinity(0, self._options.client_cores)
        with server(self._options, self._dtype) as (address, cpu_seconds):
            return asyncio.run(self._measured(address, cpu_seconds))

    async def _measured(self, address: str, cpu_seconds: Callable[[], float]) -> Speed:
        import aiohttp

        options = self._options
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
            clients = Clients(session, address, options.images)
            await clients.ask_alone()
            await clients.keep_busy(options.clients, WARM_UP_SECONDS)
            cpu = cpu_seconds()
            rate = await clients.keep_busy(options.clients, options.seconds)
            used = 100 * (cpu_seconds() - cpu) / (options.images * len(clients.seconds))
            self._waits = await clients.send_at_random(rate / 2, options.seconds)
            async with session.get(f"{address}/stats") as response:
                batches = (await response.json())["model_stats"][0]["batch_stats"]
        counts = {entry["batch_size"]: entry["compute_infer"]["count"] for entry in batches}
        print(f"  batches by their size: {counts}", file=sys.stderr)
        return Speed(rate, used, clients.compared, clients.wrong)

    def percentile(self) -> float:
        """Return the 99th percentile of the last round's times, in seconds."""
        return quantiles(self._waits, n=100)[98]

    def twice_the_median(self) -> float:
        """Return twice the median of the last round's times, in seconds."""
        return 2 * median(self._waits)


def measured(options: Namespace) -> list[common.Figure]:
    """Return the figures of all outputs."""
    figures = []
    common.print_header("loop")
    for name in options.outputs:
        served = Served(options, OUTPUTS[name])
        speeds: list[tuple[Speed, Speed]] = []
        waits: list[tuple[float, float]] = []
        for _ in range(options.rounds):
            speeds.append((served.server(), served.loop()))
            waits.append((served.percentile(), served.twice_the_median()))
        rates = [(ours.rate, theirs.rate) for ours, theirs in speeds]
        cpu = [(ours.cpu, theirs.cpu) for ours, theirs in speeds]
        compared = sum(one.compared for pair in speeds for one in pair)
        wrong = sum(one.wrong for pair in speeds for one in pair)
        checked(Looked(rates[0][0], compared, wrong), name)
        rows = ((name, "images/s", rates), (f"{name}: CPU", "s", cpu), (f"{name}: p99", "s", waits))
        for title, unit, pairs in rows:
            mine, others = zip(*pairs, strict=True)
            figure = common.figure_of(title, unit, mine, others)
            figures.append(replace(figure, compared=compared, wrong=wrong))
            common.print_figure(figures[-1])
    return figures


def cores(text: str) -> set[int]:
    """Return the numbers of cores in a text such as "0-3,6"."""
    chosen: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        chosen |= set(range(int(first), int(last or first) + 1))
    return chosen


def main() -> int:
    """Measure and print what the command line asks for."""
    parser = common.command_line(__doc__, only=False)
    there = sorted(os.sched_getaffinity(0))
    half = max(1, len(there) // 2)
    parser.add_argument("--cores", type=cores, default=set(there[:half]), help="of the server")
    parser.add_argument("--client-cores", type=cores, default=set(there[half:]))
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--images", type=int, default=1, help="images of a request")
    parser.add_argument("--batch", type=int, default=32, help="samples of a batch at most")
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--outputs", nargs="+", choices=OUTPUTS, default=list(OUTPUTS))
    parser.add_argument("--processes", action="store_true", help="compute in processes")
    options = parser.parse_args()
    common.record(options, measured(options))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
