"""Random pipelines beside a network that trains: their samples, compared with those of each alone.

    python -m penstock.tests.stress.beside_model [--photographs FOLDER] [--pipelines 10]
        [--minutes 1] [--seed 0]

Each pipeline decodes photographs on the GPU and takes them through a few random operators, with
random arguments. Its seed is printed. The consumer takes a batch, lets ResNet-18 train on numbers
of its own, looks at the batch, and drops it; nothing waits. The exit status is 1 if a sample
differs.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path
from time import monotonic
from typing import Any

from penstock import Pipeline, fn, types
from penstock.benchmarks import common
from penstock.testing.beside import TorchConsumer, compare

from ..torchvision_library import load_torchvision

SHARED = 0.01  # of a sum: the JPEG engine and CUDA cores, which share out files, round differently
BATCHES = 150  # of a run


def uniform(low: float, high: float) -> Any:
    """Return a random number for each sample."""
    return fn.random.uniform(range=(low, high))


STEPS = {
    "rotate": lambda x: fn.rotate(x, angle=uniform(-30, 30), keep_size=True, fill_value=7),
    "color_twist": lambda x: fn.color_twist(
        x, brightness=uniform(0.6, 1.4), hue=uniform(-20, 20), saturation=uniform(0.6, 1.4)
    ),
    "gaussian_blur": lambda x: fn.gaussian_blur(x, sigma=uniform(0.5, 3.0)),
    "warp_affine": lambda x: fn.warp_affine(
        x, fn.transforms.shear(angles=fn.random.uniform(range=(-10.0, 10.0), shape=[2]))
    ),
    "flip": lambda x: fn.flip(x, horizontal=fn.random.coin_flip(), vertical=fn.random.coin_flip()),
    "erase": lambda x: fn.erase(x, anchor=(20.0, 30.0), shape=(60.0, 50.0), axes=(0, 1)),
    "grid_mask": lambda x: fn.grid_mask(x, tile=40, angle=uniform(0, 1)),
    "jpeg": lambda x: fn.jpeg_compression_distortion(
        x, quality=fn.cast(uniform(20, 90), dtype=types.INT32)
    ),
    "noise": lambda x: fn.noise.gaussian(x, stddev=uniform(1, 30)),
    "salt_and_pepper": lambda x: fn.noise.salt_and_pepper(x, prob=0.05),
    "equalize": lambda x: fn.equalize(x),
    "median_blur": lambda x: fn.experimental.median_blur(x, window_size=3),
    "water": lambda x: fn.water(x),
    "sphere": lambda x: fn.sphere(x),
    "paste": lambda x: fn.resize(
        fn.paste(x, ratio=uniform(1, 2), fill_value=(124, 116, 104)), size=(224, 224)
    ),
    "crop": lambda x: fn.resize(fn.crop(x, crop=(160, 192)), size=(224, 224)),
    "reinterpret": lambda x: fn.reinterpret(x, layout="HWC"),
    "arithmetic": lambda x: fn.cast(x * 0.5 + 30, dtype=types.UINT8),
}
ENDS = {
    "normalized": lambda x: fn.crop_mirror_normalize(
        x, dtype=types.FLOAT, output_layout="CHW", mean=[120.0] * 3, mirror=fn.random.coin_flip()
    ),
    "half": lambda x: fn.crop_mirror_normalize(x, dtype=types.FLOAT16, output_layout="HWC"),
    "as it is": lambda x: x,
}


class Training(TorchConsumer):
    """PyTorch, with ResNet-18 that trains as the queued work."""

    def __init__(self) -> None:
        super().__init__()
        torch, torchvision = self._torch, load_torchvision()
        self._network = torchvision.models.resnet18().cuda()
        self._network = self._network.to(memory_format=torch.channels_last)
        self._optimizer = torch.optim.SGD(self._network.parameters(), 0.01, fused=True)
        numbers = torch.randn(128, 3, 224, 224, device="cuda")
        self._numbers = numbers.contiguous(memory_format=torch.channels_last)

    def queue_work(self, seconds: float) -> None:
        with self._torch.autocast("cuda", self._torch.bfloat16):
            loss = self._network(self._numbers).square().mean()
        self._optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self._optimizer.step()


def described(seed: int) -> tuple[dict[str, Any], list[str], str]:
    """Return options of the pipeline, the names of its steps and that of its end."""
    chance = random.Random(seed)
    options = {
        "batch_size": chance.choice([8, 32, 64, 128]),
        "num_threads": chance.choice([2, 8]),
        "prefetch_queue_depth": chance.choice([1, 2, 3]),
    }
    steps = [chance.choice(sorted(STEPS)) for _ in range(chance.randint(1, 5))]
    return options, steps, chance.choice(sorted(ENDS))


def defined(seed: int, files: list[str]) -> Pipeline:
    """Return the pipeline of a seed."""
    options, steps, end = described(seed)
    pipe = Pipeline(device_id=0, seed=seed, **options)
    with pipe:
        encoded, _ = fn.readers.file(files=files, random_shuffle=True)
        images = fn.decoders.image_random_crop(encoded, device="mixed")
        images = fn.resize(images, size=(224, 224))
        for step in steps:
            images = STEPS[step](images)
        pipe.set_outputs(ENDS[end](images))
    return pipe


def main() -> int:
    """Compare pipelines until the time of each is over."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--photographs", type=Path, metavar="FOLDER", help="JPEG files to use")
    parser.add_argument("--pipelines", type=int, default=10)
    parser.add_argument("--minutes", type=float, default=1.0, help="for each pipeline")
    parser.add_argument("--seed", type=int, default=0, help="of the first pipeline")
    options = parser.parse_args()
    folder = options.photographs or common.photographs(512)
    files = sorted(str(path) for path in folder.rglob("*.[jJ][pP]*[gG]"))
    consumer = Training()
    wrong = 0
    for seed in range(options.seed, options.seed + options.pipelines):
        form, steps, end = described(seed)
        until, samples, differing = monotonic() + 60 * options.minutes, 0, 0
        while samples == 0 or monotonic() < until:
            found = compare(
                lambda seed=seed: defined(seed, files),
                consumer,
                batches=BATCHES,
                tolerance=SHARED,
            )
            samples += found.samples
            differing += found.wrong
        wrong += differing
        print(f"seed {seed}, {form}, {', '.join(steps)}, {end}: ", end="")
        print(f"{differing} of {samples} samples are wrong {found.first}", flush=True)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
