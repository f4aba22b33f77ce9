"""The loaders that `beside_dataloader.py` compares: PyTorch's, webdataset's, and pipelines."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BATCH, SIZE = 64, 224
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)

Batches = Iterable[tuple[Any, Any]]
Loader = Callable[["Job"], Iterator[tuple[Any, Any]]]


@dataclass(frozen=True)
class Job:
    """What a turn reads, and how.

    Attributes:
        path: of the data.
        form: "folder", "webdataset" or "parquet".
        workers: processes of a DataLoader, or threads of a pipeline.
        epochs: that are read.
        checked: whether windows are not drawn: the largest one, not mirrored, in order.
        name: of the loader.
    """

    path: str
    form: str
    workers: int
    epochs: int = 1
    checked: bool = False
    name: str = ""

    @property
    def area(self) -> tuple[float, float]:
        """Return the range of the windows' areas. No window but the largest has all of it."""
        return (1.0, 1.0) if self.checked else (0.08, 1.0)

    @property
    def ratio(self) -> tuple[float, float]:
        """Return the range of width / height; a wide one makes all of an image the largest."""
        return (0.1, 10.0) if self.checked else (3 / 4, 4 / 3)

    @property
    def mirrored(self) -> float:
        """Return the share of images that are mirrored."""
        return 0.0 if self.checked else 0.5


def transforms(job: Job, *, tensors: bool = False) -> Any:
    """Return torchvision's transforms, of Pillow's images or of tensors."""
    import torch
    from torchvision.transforms import v2

    to_tensor = [] if tensors else [v2.PILToTensor()]
    return v2.Compose(
        [
            v2.RandomResizedCrop(SIZE, scale=job.area, ratio=job.ratio, antialias=True),
            v2.RandomHorizontalFlip(job.mirrored),
            *to_tensor,
            v2.ToDtype(torch.float32, scale=True),
            v2.Normalize(MEAN, STD),
        ]
    )


def data_loader(job: Job, data: Any, **options: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the batches of PyTorch's DataLoader."""
    from torch.utils.data import DataLoader

    loader: Any = DataLoader(
        data,
        BATCH,
        num_workers=job.workers,
        persistent_workers=job.workers > 0,
        **options,
    )
    for _ in range(job.epochs):
        yield from loader
    del loader


def torch_pillow(job: Job) -> Iterator[tuple[Any, Any]]:
    """PyTorch's DataLoader with ImageFolder."""
    from torchvision.datasets import ImageFolder

    data = ImageFolder(job.path, transforms(job))
    return data_loader(job, data, shuffle=not job.checked)


def torch_tensors(job: Job) -> Iterator[tuple[Any, Any]]:
    """PyTorch's DataLoader with torchvision's decoder."""
    from torchvision.datasets import ImageFolder
    from torchvision.io import ImageReadMode, decode_image

    def read(path: str) -> Any:
        return decode_image(path, mode=ImageReadMode.RGB)

    data = ImageFolder(job.path, transforms(job, tensors=True), loader=read)
    return data_loader(job, data, shuffle=not job.checked)


def webdataset(job: Job) -> Iterator[tuple[Any, Any]]:
    """The loader of the library webdataset."""
    import webdataset as library

    shards = sorted(map(str, Path(job.path).glob("*.tar")))
    shuffled = 0 if job.checked else 1000
    transform = transforms(job)
    data = (
        library.WebDataset(shards, shardshuffle=False if job.checked else 100, empty_check=False)
        .shuffle(shuffled)
        .decode("pil")
        .to_tuple("jpg;jpeg;png", "cls")
        .map_tuple(transform, int)
        .batched(BATCH)
    )
    loader = library.WebLoader(
        data, batch_size=None, num_workers=job.workers, persistent_workers=job.workers > 0
    )
    for _ in range(job.epochs):
        yield from loader


def hugging_face(job: Job) -> Iterator[tuple[Any, Any]]:
    """The library datasets in PyTorch's DataLoader."""
    import datasets as library

    transform = transforms(job)

    def apply(rows: dict[str, list[Any]]) -> dict[str, list[Any]]:
        return {
            "image": [transform(i.convert("RGB")) for i in rows["image"]],
            "label": rows["label"],
        }

    files = sorted(map(str, Path(job.path).glob("*.parquet")))
    data = library.load_dataset("parquet", data_files=files, split="train", cache_dir=job.path)
    data = data.with_transform(apply)
    batches: Iterator[Any] = data_loader(job, data, shuffle=not job.checked)
    for batch in batches:
        yield batch["image"], batch["label"]


def of_pipelines(library: str, job: Job) -> Iterator[tuple[Any, Any]]:
    """A pipeline of Penstock or DALI, through its iterator for PyTorch."""
    ours = library == "penstock"
    module = importlib.import_module(library)
    plugin = importlib.import_module(f"{library}.plugin.pytorch")
    fn, types = importlib.import_module(f"{library}.fn"), module.types
    order = {"random_shuffle": not job.checked, "name": "reader"}

    def read() -> Any:
        if job.form == "folder":
            return fn.readers.file(file_root=job.path, **order)
        if job.form == "parquet":
            return fn.readers.parquet(path=job.path, columns=["image", "label"], **order)
        shards = sorted(map(str, Path(job.path).glob("*.tar")))
        kinds = {"dtypes": [types.UINT8, types.INT32]} if ours else {}
        return fn.readers.webdataset(paths=shards, ext=["jpg;jpeg;png", "cls"], **kinds, **order)

    def define() -> Any:
        encoded, labels = read()
        if job.form == "webdataset" and not ours:
            labels = labels - ord("0")  # DALI hands out the text; the classes have one digit
        images = fn.decoders.image_random_crop(
            encoded, random_area=job.area, random_aspect_ratio=job.ratio
        )
        images = fn.resize(images, size=(SIZE, SIZE))
        mirror = fn.random.coin_flip(probability=job.mirrored)
        mean, std = [255 * m for m in MEAN], [255 * s for s in STD]
        return fn.crop_mirror_normalize(images, mean=mean, std=std, mirror=mirror), labels

    make = module.pipeline_def(batch_size=BATCH, num_threads=job.workers, seed=1)
    extra = {} if ours else {"device_id": None}
    pipeline = make(define)(**extra)
    pipeline.build()
    policy = plugin.LastBatchPolicy.PARTIAL
    loop = plugin.DALIGenericIterator(
        [pipeline],
        ["image", "label"],
        reader_name="reader",
        last_batch_policy=policy,
        auto_reset=True,
    )
    for _ in range(job.epochs):
        for (batch,) in loop:
            yield batch["image"], batch["label"]


def dali(job: Job) -> Iterator[tuple[Any, Any]]:
    """NVIDIA DALI."""
    return of_pipelines("nvidia.dali", job)


def penstock(job: Job) -> Iterator[tuple[Any, Any]]:
    """Penstock."""
    return of_pipelines("penstock", job)


LOADERS: dict[str, dict[str, Loader]] = {
    "folder": {
        "torch": torch_pillow,
        "torch-tensors": torch_tensors,
        "dali": dali,
        "penstock": penstock,
    },
    "webdataset": {"webdataset": webdataset, "dali": dali, "penstock": penstock},
    "parquet": {"datasets": hugging_face, "penstock": penstock},
}
