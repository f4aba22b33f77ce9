"""A network that trains beside its input pipeline, against the same steps on one batch.

The *ceiling* is the rate of training on one batch again and again. Each loader is measured by its
part of the ceiling, its GPU memory, its CPU seconds, and the time for which its threads hold the
GIL. Loaders take turns in one process; with --gpus, one process a GPU trains by DDP.

    python benchmarks/training_loop.py [--photographs FOLDER] [--models resnet18 resnet50]
        [--forms eager graph compiled] [--loaders penstock penstock-cpu dali] [--batch 256]
        [--gpus 2] [--rounds 3] [--json FILE]
    python benchmarks/training_loop.py --curve FILE.svg [--folder FOLDER] [--steps 2000] [--seeds 3]

The sums of each batch are queued behind the step that reads it, and compared as `looking.py` says.
With --curve, networks train for so many steps from each loader, and their losses are drawn: see
`training_curves.py`. `torchvision` has the networks. GPU memory is what the driver counts, beyond
the network's.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from penstock.benchmarks import common, gil
from penstock.benchmarks.gpu_looks import MemoryWatch, joules, used_memory, write_kernels
from penstock.benchmarks.looking import Looked, Looks, checked
from penstock.benchmarks.natural_data import data_set, linked
from penstock.benchmarks.training_cpu import SIZE, load_dali
from penstock.benchmarks.training_loaders import (
    LOADERS,
    Batches,
    compared,
    looked_at,
    one_batch,
    opened,
    place,
)
from penstock.tests.torchvision_library import load_torchvision

FORMS = ("eager", "graph", "compiled")
_CLASSES = 1000
_WARM_UP_SECONDS, _SECONDS = 3.0, 5.0
_PROFILED_STEPS = 20
_STEPS_OF_RANKS = 8  # after which ranks ask whether the time is over
_GIL_SECONDS = 5

Step = Callable[[Any, Any], Any]


@dataclass(frozen=True)
class Turn:
    """One turn of a loader, or the median of several.

    Attributes:
        name: model, form and loader.
        images: images a second, of all GPUs.
        of_ceiling: the same, divided by the ceiling of the same round.
        gpu_memory: bytes of one GPU beyond those of the network, after the warm-up.
        peak_memory: the same, at the highest moment of the turn.
        cpu_seconds: CPU seconds of a thousand images, beyond those of the ceiling.
        gil: part of the time for which the loader's threads hold the GIL; None without py-spy.
        joules: energy of a thousand images, as the driver counts it; None if it does not.
        loss: of the last step.
        compared, wrong: samples of all turns that were compared with the same samples alone, and
            those that differ; None of the ceiling.
    """

    name: str
    images: float
    of_ceiling: float
    gpu_memory: int
    peak_memory: int
    cpu_seconds: float
    gil: float | None
    joules: float | None
    loss: float
    compared: int | None = None
    wrong: int | None = None


def make_step(model: str, form: str, batch: int, rank: int, ranks: int) -> Step:
    """Return a function that trains a network on a batch, in bfloat16 and channels_last."""
    import torch
    from torch.nn import functional

    torchvision: Any = load_torchvision()
    torch.backends.cudnn.benchmark = True
    network: Any = torchvision.models.get_model(model, num_classes=_CLASSES).to(place())
    network = network.to(memory_format=torch.channels_last).train()
    optimizer = torch.optim.SGD(network.parameters(), lr=0.01, momentum=0.9, foreach=True)
    if ranks > 1:
        network = torch.nn.parallel.DistributedDataParallel(network, device_ids=[rank])
    forward = torch.compile(network) if form == "compiled" else network

    def step(images: Any, labels: Any) -> Any:
        with torch.autocast(place().type, torch.bfloat16):
            loss = functional.cross_entropy(forward(images), labels)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=form != "graph")
        return loss.detach()

    return step if form != "graph" else _as_graph(step, batch)


def _as_graph(step: Step, batch: int) -> Step:
    """Return a step that copies a batch to memory of its own, and launches one CUDA graph."""
    import torch

    images = torch.zeros(batch, 3, *SIZE, device="cuda").to(memory_format=torch.channels_last)
    labels = torch.zeros(batch, dtype=torch.int64, device="cuda")
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            step(images, labels)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, capture_error_mode="thread_local"):
        loss = step(images, labels)

    def launch(new_images: Any, new_labels: Any, _holds_the_network: Step = step) -> Any:
        images.copy_(new_images, non_blocking=True)
        labels.copy_(new_labels, non_blocking=True)
        graph.replay()
        return loss

    return launch


def run(step: Step, source: Batches, batch: int) -> dict[str, Any]:
    """Train for some seconds after a warm-up; return what was measured."""
    _steps(step, source, _WARM_UP_SECONDS / 2)
    watch = MemoryWatch()
    _steps(step, source, _WARM_UP_SECONDS / 2)
    before, cpu, energy = time.perf_counter(), common.cpu_seconds(), joules()
    count, loss = _steps(step, source, _SECONDS)
    seconds = time.perf_counter() - before
    images = count * batch
    spent = (joules() or 0.0) - energy if energy is not None else None
    watch.stop()
    return {
        "images": images / seconds,
        "cpu": (common.cpu_seconds() - cpu) / images * 1000,
        "joules": None if spent is None else spent / images * 1000,
        "last": watch.last,
        "peak": watch.peak,
        "gil": None,
        "loss": loss,
    }


def _steps(step: Step, source: Batches, seconds: float) -> tuple[int, float]:
    """Train for some seconds, at most two steps ahead of the GPU; return the steps and the loss."""
    import torch

    ends: list[Any] = []
    loss = torch.zeros(())
    until, count = time.perf_counter() + seconds, 0
    while not _is_over(until, count):
        loss = step(*next(source))
        ends.append(torch.cuda.Event())
        ends[-1].record()
        if len(ends) > 2:
            ends.pop(0).synchronize()
        count += 1
    torch.cuda.synchronize()
    return count, float(loss)


def _is_over(until: float, count: int) -> bool:
    """Whether to stop before another step. All ranks stop after the same one, as the first says."""
    import torch

    is_over = time.perf_counter() > until
    if not torch.distributed.is_initialized():
        return is_over
    if count % _STEPS_OF_RANKS:
        return False
    told = torch.tensor(is_over)  # in the host's memory: the GPUs do not wait
    torch.distributed.broadcast(told, 0)
    return bool(told)


def _train(step: Step, source: Batches) -> None:
    step(*next(source))


def of_loader(held: dict[str, float]) -> float:
    """Return the part of the time for which threads of the loader hold the GIL."""
    return sum(part for thread, part in held.items() if thread != "MainThread")


def measure(folder: str, options: argparse.Namespace, rank: int, ranks: int) -> list[Turn]:
    """Let the loaders take turns, for each network and form."""
    import torch

    torch.cuda.set_device(rank)
    turns: list[Turn] = []
    names = [name for name in options.loaders if name != "dali" or load_dali() is not None]
    for model in options.models:
        for form in options.forms:
            step = make_step(model, form, options.batch, rank, ranks)
            ceiling = one_batch(folder, options, rank)
            collected: dict[str, list[Turn]] = {name: [] for name in ("ceiling", *names)}
            for _ in range(options.rounds):
                base = run(step, ceiling, options.batch)
                collected["ceiling"].append(_turn(f"{model} {form} ceiling", base, base, ranks))
                for name in names:
                    if rank == 0:
                        print(f"{model} {form} beside {name} ...", file=sys.stderr, flush=True)
                    memory = used_memory()
                    looks = Looks()
                    with opened(name, folder, options, rank) as source:
                        measured = run(step, looked_at(source, looks), options.batch)
                        if options.gil:
                            measured["gil"] = of_loader(
                                gil.held(partial(_train, step, source), _GIL_SECONDS)
                            )
                        if options.kernels:
                            path = options.kernels / f"{model}_{form}_{name}.txt"
                            write_kernels(partial(_train, step, source), _PROFILED_STEPS, path)
                    measured["last"] -= memory
                    measured["peak"] -= memory
                    turn = _turn(f"{model} {form} {name}", measured, base, ranks)
                    found = compared(looks, name, folder, options, rank)
                    checked(Looked(turn.images, *found, turn.loss), turn.name)
                    turn = replace(turn, compared=found[0], wrong=found[1])
                    collected[name].append(turn)
            turns += [_median(all_turns) for all_turns in collected.values()]
            if rank == 0:
                for turn in turns[-len(collected) :]:
                    print_turn(turn)
            del step, ceiling
            torch.cuda.empty_cache()
    return turns


def _turn(name: str, measured: dict[str, Any], base: dict[str, Any], ranks: int) -> Turn:
    is_ceiling = measured is base
    return Turn(
        name,
        measured["images"] * ranks,
        measured["images"] / base["images"],
        0 if is_ceiling else measured["last"],
        0 if is_ceiling else measured["peak"],
        measured["cpu"] - (0 if is_ceiling else base["cpu"]),
        measured["gil"],
        measured["joules"],
        measured["loss"],
    )


def _median(turns: list[Turn]) -> Turn:
    """Return the medians of the turns; of memory, the largest."""
    energies = [turn.joules for turn in turns if turn.joules is not None]
    return replace(
        turns[0],
        images=median(turn.images for turn in turns),
        of_ceiling=median(turn.of_ceiling for turn in turns),
        gpu_memory=max(turn.gpu_memory for turn in turns),
        peak_memory=max(turn.peak_memory for turn in turns),
        cpu_seconds=median(turn.cpu_seconds for turn in turns),
        joules=median(energies) if energies else None,
        loss=median(turn.loss for turn in turns),
        compared=None if turns[0].compared is None else sum(turn.compared or 0 for turn in turns),
        wrong=None if turns[0].wrong is None else sum(turn.wrong or 0 for turn in turns),
    )


def print_turn(turn: Turn) -> None:
    """Print a line of the table."""
    energy = "" if turn.joules is None else f"{turn.joules:7.1f} J/1000"
    gil_part = "" if turn.gil is None else f"{turn.gil:6.2f} of the GIL"
    print(
        f"{turn.name:36}{turn.images:9.0f} images/s {turn.of_ceiling:6.3f}  "
        f"{turn.gpu_memory / 1e9:5.2f} GB, peak {turn.peak_memory / 1e9:5.2f}"
        f"{turn.cpu_seconds:8.3f} CPU s/1000{energy}{gil_part}  loss {turn.loss:.3f}"
        f"{common.seen(turn.compared, turn.wrong)}",
        flush=True,
    )


def distributed(arguments: list[str], gpus: int) -> int:
    """Run this program with torchrun, one process a GPU."""
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", str(gpus)]
    return subprocess.call([*command, "--standalone", __file__, *arguments])


def main() -> int:
    """The command line."""
    parser = common.command_line(__doc__, rounds=3, only=False)
    parser.add_argument(
        "--photographs", type=Path, metavar="FOLDER", help="to make the natural mix"
    )
    parser.add_argument("--files", type=int, default=1024, help="of the natural mix")
    parser.add_argument("--names", type=int, default=16, help="of each file: for long epochs")
    parser.add_argument("--models", nargs="+", default=["resnet18"], help="of torchvision")
    parser.add_argument("--forms", nargs="+", choices=FORMS, default=["eager", "graph"])
    parser.add_argument("--loaders", nargs="+", choices=LOADERS, help="penstock and dali")
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--threads", type=int, default=8, help="of GPU pipelines")
    parser.add_argument("--cpu-threads", type=int, default=12, help="of CPU pipelines")
    parser.add_argument("--depth", type=int, default=2, help="prefetch_queue_depth")
    parser.add_argument("--gpus", type=int, default=1)
    parser.add_argument("--gil", action="store_true", help="see who holds the GIL, by py-spy")
    parser.add_argument("--kernels", type=Path, metavar="FOLDER", help="list kernels there")
    parser.add_argument("--curve", type=Path, metavar="FILE", help="draw losses there, as SVG")
    parser.add_argument("--folder", type=Path, help="of class folders, for --curve")
    parser.add_argument("--steps", type=int, default=2000, help="of each network, for --curve")
    parser.add_argument("--seeds", type=int, default=3, help="networks of a loader, for --curve")
    options = parser.parse_args()
    if options.curve:
        from penstock.benchmarks.training_curves import draw_curves

        return draw_curves(options)
    options.loaders = options.loaders or ["penstock", "dali"]
    folder = str(linked(data_set("natural", options.files, options.photographs), options.names))
    rank, ranks = int(os.environ.get("LOCAL_RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
    if options.gpus > 1 and ranks == 1:
        return distributed(sys.argv[1:], options.gpus)
    if ranks > 1:
        import torch

        torch.cuda.set_device(rank)
        torch.distributed.init_process_group("cpu:gloo,cuda:nccl")
    turns = measure(folder, options, rank, ranks)
    if rank == 0:
        common.record(options, turns)
    if ranks > 1:
        torch.distributed.destroy_process_group()
    return 0


if __name__ == "__main__":
    sys.exit(main())
