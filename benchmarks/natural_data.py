"""Makes sets of photographs like those that people have: uniform, natural and web.

    python benchmarks/natural_data.py natural web [--count 256] [--photographs FOLDER]

The photographs of a folder are cut, scaled and encoded anew; without a folder, the fixtures' drawn
scenes take their place. `benchmarks/README.md` describes the mixes.
"""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from penstock.benchmarks import common

Pixels = NDArray[np.uint8]

MIXES = ("uniform", "natural", "web")
NATURAL_PERCENTILES = (0, 5, 25, 50, 75, 95, 100)
NATURAL_PIXELS = (20_000, 47_000, 167_000, 188_000, 188_000, 430_000, 1_834_000)
NATURAL_BYTES_PER_PIXEL = 0.47
"""110 KB for the mean number of pixels of the natural mix."""

PROGRESSIVE = 41
"""The remainder by 100 of the numbers of progressive files in the natural mix."""

GOLDEN_RATIO = (5**0.5 - 1) / 2
"""The fractions of its multiples are spread evenly, however many there are."""

WEB_PIXELS = (200_000, 12_000_000)
CLASSES = 8
ORIENTATION = 0x0112
TURNED_RIGHT = 6
FULL, HALF, QUARTER = 0, 1, 2
"""Pillow's numbers of 4:4:4, 4:2:2 and 4:2:0."""


@dataclass(frozen=True)
class Recipe:
    """How one file is made.

    Attributes:
        pixels: number of pixels.
        form: "JPEG", "PNG" or "WEBP".
        mode: Pillow's mode: "RGB", "L" or "CMYK".
        subsampling: Pillow's number of the chroma subsampling.
        progressive: whether the JPEG file is progressive.
        turned: whether EXIF asks for a quarter turn.
        suffix: of the file's name, which may contradict the format.
    """

    pixels: int
    form: str = "JPEG"
    mode: str = "RGB"
    subsampling: int = QUARTER
    progressive: bool = False
    turned: bool = False
    suffix: str = ".jpg"


def data_set(mix: str, count: int, photographs: Path | None = None) -> Path:
    """Return class folders with `count` files of a mix; make them if they are missing."""
    if mix == "uniform":
        return common.photographs(count)
    origin = "drawn" if photographs is None else photographs.resolve().name
    root = common.PHOTOS / f"{mix}_{count}_{origin}"
    if (root / ".done").exists():
        return root
    random = np.random.default_rng(1)
    sources = cycle(pictures(photographs))
    for number in range(count):
        recipe = (natural if mix == "natural" else web)(random, number)
        folder = root / f"class_{number % CLASSES}"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{number:06}{recipe.suffix}"
        path.write_bytes(encoded(cut_out(next(sources), recipe.pixels, random), recipe))
    (root / ".done").touch()
    return root


def linked(folder: Path, times: int) -> Path:
    """Return class folders with so many names of each file, so that epochs are as long as usual."""
    root = folder.with_name(f"{folder.name}_x{times}")
    for file in folder.glob("class_*/*"):
        names = root / file.parent.name
        names.mkdir(parents=True, exist_ok=True)
        for number in range(times):
            with suppress(FileExistsError):
                (names / f"{number}_{file.name}").hardlink_to(file)
    return root


def natural(random: np.random.Generator, number: int) -> Recipe:
    """Return a file as ImageNet has it."""
    # A progressive file costs as much as many others. So the sizes of these few files are spread as
    # evenly as those of all files; by chance, two of ten had 1.5 million pixels. The first ten have
    # 281,000 pixels on average, the mix 233,000.
    progressive = number % 100 == PROGRESSIVE
    percentile = 100 * (number // 100 + 12 if progressive else number) * GOLDEN_RATIO % 100
    pixels = int(np.interp(percentile, NATURAL_PERCENTILES, NATURAL_PIXELS))
    # Of 1.28 million files one is PNG with the name of a JPEG, and 22 are CMYK.
    if number % 1000 == 17:
        return Recipe(pixels, form="PNG")
    if number % 1000 == 53:
        return Recipe(pixels, mode="CMYK", subsampling=FULL)
    percent = random.uniform(0, 100)
    return Recipe(
        pixels,
        mode="L" if percent < 3 else "RGB",
        subsampling=HALF if percent < 22 else FULL,
        progressive=progressive,
        turned=bool(random.uniform() < 0.02),
    )


def web(random: np.random.Generator, number: int) -> Recipe:
    """Return a file as web pages and phones have it."""
    pixels = int(np.exp(random.uniform(*np.log(WEB_PIXELS))))
    if number % 20 == 7:
        return Recipe(min(pixels, 2_000_000), form="PNG", suffix=".png")
    if number % 20 == 13:
        return Recipe(pixels, form="WEBP", suffix=".webp")
    return Recipe(
        pixels,
        progressive=bool(random.uniform() < 0.1),
        turned=bool(random.uniform() < 0.1),
    )


def pictures(folder: Path | None) -> Iterator[Pixels]:
    """Yield the photographs of a folder, or drawn scenes."""
    if folder is None:
        draw = common.generator().scene
        yield from (draw(seed, 1500, 2000) for seed in range(12))
        return
    suffixes = (".jpg", ".jpeg", ".png", ".webp")
    paths = [path for path in sorted(folder.rglob("*")) if path.suffix.lower() in suffixes]
    if not paths:
        raise SystemExit(f"{folder} holds no photographs ({', '.join(suffixes)})")
    for path in paths:
        yield np.asarray(Image.open(path).convert("RGB"))


def cut_out(picture: Pixels, pixels: int, random: np.random.Generator) -> Image.Image:
    """Return a random part of a picture, scaled to about `pixels` pixels, upright or not."""
    aspect = float(random.choice((4 / 3, 4 / 3, 3 / 2, 3 / 4, 1.0)))
    width, height = round((pixels * aspect) ** 0.5), round((pixels / aspect) ** 0.5)
    scale = min(picture.shape[1] / width, picture.shape[0] / height)
    scale *= float(random.uniform(0.75, 1)) if scale > 1 else 1
    size = (max(1, int(width * scale)), max(1, int(height * scale)))
    left = int(random.integers(0, picture.shape[1] - size[0] + 1))
    top = int(random.integers(0, picture.shape[0] - size[1] + 1))
    window = Image.fromarray(picture[top : top + size[1], left : left + size[0]])
    return window.resize((width, height), Image.Resampling.BICUBIC)


def encoded(picture: Image.Image, recipe: Recipe) -> bytes:
    """Return the bytes of a file."""
    picture = picture.convert(recipe.mode)
    if recipe.form != "JPEG":
        return saved(picture, recipe.form)
    options: dict[str, Any] = {"progressive": recipe.progressive, "subsampling": recipe.subsampling}
    if recipe.turned:
        exif = Image.Exif()
        exif[ORIENTATION] = TURNED_RIGHT
        options["exif"] = exif
    if recipe.subsampling == QUARTER:
        return saved(picture, "JPEG", quality=85, **options)
    return of_size(picture, round(recipe.pixels * NATURAL_BYTES_PER_PIXEL), options)


def of_size(picture: Image.Image, size: int, options: dict[str, Any]) -> bytes:
    """Return a JPEG file of about `size` bytes: the quality is found by bisection."""
    low, high = 20, 98
    while low < high:
        quality = (low + high + 1) // 2
        if len(saved(picture, "JPEG", quality=quality, **options)) <= size:
            low = quality
        else:
            high = quality - 1
    return saved(picture, "JPEG", quality=low, **options)


def saved(picture: Image.Image, form: str, **options: Any) -> bytes:
    """Return a picture as Pillow encodes it."""
    stored = io.BytesIO()
    picture.save(stored, form, **options)
    return stored.getvalue()


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("mix", nargs="+", choices=MIXES)
    parser.add_argument("--count", type=int, default=256, help="files in each set")
    parser.add_argument("--photographs", type=Path, help="folder of photographs to cut up")
    options = parser.parse_args()
    for mix in options.mix:
        root = data_set(mix, options.count, options.photographs)
        sizes = [path.stat().st_size for path in root.rglob("*.*") if path.stat().st_size]
        print(f"{root}: {len(sizes)} files, {np.mean(sizes) / 1e3:.0f} KB on average")
    return 0


if __name__ == "__main__":
    sys.exit(main())
