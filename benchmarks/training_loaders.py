"""The loaders that train networks in `training_loop.py`: pipelines on GPU and CPU, and DALI's."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from penstock.benchmarks.looking import Looks, Take, close, compare
from penstock.benchmarks.training_cpu import MEAN, SIZE, STD, Library, load

LOADERS = (
    "penstock",
    "penstock-nhwc",
    "penstock-engine",
    "penstock-kernels",
    "penstock-cpu",
    "dali",
)


Batches = Iterator[tuple[Any, Any]]


def place() -> Any:
    """Return the device that trains: the GPU, if there is one."""
    import torch

    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def training(
    library: Library,
    folder: str,
    device: str,
    form: dict[str, Any],
    shard: dict[str, int],
    **decoding: Any,
) -> Any:
    """Return random windows at one size, mirrored and normalized, and their labels."""
    fn = library.fn
    encoded, labels = fn.readers.file(file_root=folder, random_shuffle=True, name="reader", **shard)
    images = fn.decoders.image_random_crop(
        encoded, device="cpu" if device == "cpu" else "mixed", **decoding
    )
    images = fn.resize(images, size=SIZE)
    mirror = fn.random.coin_flip(probability=0.5)
    images = fn.crop_mirror_normalize(images, mean=MEAN, std=STD, mirror=mirror, **form)
    return images, labels


def pipeline(name: str, folder: str, options: argparse.Namespace, rank: int, seed: int = 1) -> Any:
    """Return the built pipeline of a loader, which reads the shard of a rank."""
    library = load("nvidia.dali" if name == "dali" else "penstock")
    decoding = {
        "penstock-engine": {"hw_decoder_load": 1.0},
        "penstock-kernels": {"hw_decoder_load": 0.0},
    }.get(name, {})
    types = library.types
    form: dict[str, Any] = {"dtype": types.FLOAT, "output_layout": "CHW"}
    if name == "penstock-nhwc":
        form = {"dtype": types.FLOAT16, "output_layout": "HWC"}
    on_cpu = name.endswith("-cpu")
    define = library.pipeline_def(
        batch_size=options.batch,
        num_threads=options.cpu_threads if on_cpu else options.threads,
        device_id=rank if place().type == "cuda" else None,
        seed=seed,
        prefetch_queue_depth=options.depth,
    )
    device = "cpu" if on_cpu else "gpu"
    shard = {"shard_id": rank, "num_shards": options.gpus}
    built = define(lambda: training(library, folder, device, form, shard, **decoding))()
    built.build()
    return built


def batches(name: str, built: Any) -> Batches:
    """Yield images and labels of a pipeline, as tensors on the device that trains."""
    if name == "dali":
        plugin: Any = importlib.import_module("nvidia.dali.plugin.pytorch")
        for part in plugin.DALIClassificationIterator(built, auto_reset=True):
            yield part[0]["data"], part[0]["label"].squeeze(-1).cuda(non_blocking=True).long()
        return
    from penstock.plugin.pytorch import ClassificationIterator

    iterator = ClassificationIterator(
        built, batch_form="tuple", class_labels=True, auto_reset=True, last_batch_policy="drop"
    )
    while True:
        for images, labels in iterator:
            images = images.to(place(), non_blocking=True)
            if images.shape[-1] == 3:
                images = images.permute(0, 3, 1, 2)
            yield images, labels.to(device=images.device, non_blocking=True)


@contextmanager
def opened(
    name: str, folder: str, options: argparse.Namespace, rank: int, seed: int = 1
) -> Iterator[Batches]:
    """Give the batches of a loader."""
    built = pipeline(name, folder, options, rank, seed)
    try:
        yield batches(name, built)
    finally:
        close(built)


def one_batch(folder: str, options: argparse.Namespace, rank: int) -> Batches:
    """Yield one batch again and again, in the form that suits the network best."""
    import torch

    with opened("penstock", folder, options, rank) as source:
        images, labels = next(source)
        images = images.clone().to(torch.bfloat16).contiguous(memory_format=torch.channels_last)
        labels = labels.clone()
    while True:
        yield images, labels


def looked_at(source: Batches, looks: Looks) -> Batches:
    """Yield batches, and queue the sums of each one behind the work that the consumer queued."""
    for images, labels in source:
        yield images, labels
        looks.look((images, labels))
        del images, labels


def compared(
    looks: Looks, name: str, folder: str, options: argparse.Namespace, rank: int, seed: int = 1
) -> tuple[int, int]:
    """Return how many samples were compared with the same loader alone, and how many differ."""

    @contextmanager
    def alone() -> Iterator[Take]:
        with opened(name, folder, options, rank, seed) as source:
            yield partial(next, source)

    counts = compare(looks, (name, seed), alone)
    return counts if options.gpus == 1 else _sum_of_ranks(counts)


def _sum_of_ranks(counts: Sequence[int]) -> tuple[int, int]:
    """Return the sums of all ranks' counts."""
    import torch

    told = torch.tensor(counts)  # in the host's memory, as in `_is_over`
    torch.distributed.all_reduce(told)
    first, second = told.tolist()
    return first, second
