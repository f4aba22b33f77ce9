"""Every operator that makes a picture, input beside output, with its call: one page.

A caption is the call itself, which the script evaluates. So a new operator needs one line in
`CALLS`. Calls of operators that this version does not have are left out.

    python examples/gallery.py [--page gallery.png] [operator ...]
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import sys
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import cv2
import numpy as np

from penstock import Pipeline, fn, types

ROOT = Path(__file__).resolve().parent.parent
HEIGHT, WIDTH = 180, 240  # of the drawn scene
FRAMES, SLICES = 3, 3
ACROSS = 3  # entries beside one another
GAP, LINE = 14, 17  # pixels between pictures; of a line of a caption
INK, PAPER, RULE = (40, 40, 40), (255, 255, 255), (205, 205, 205)
LETTERS = 66  # of a line of a caption

# `image` is a picture, HWC. `video` has three frames, FHWC; `volume` is a stack of planes, DHWC.
CALLS = {
    "Geometry": (
        "fn.crop(image, crop=(120, 160), crop_pos_x=0.2, crop_pos_y=0.7)",
        "fn.slice(image, rel_start=(0.2, 0.3), rel_shape=(0.5, 0.5))",
        "fn.pad(image, axes=(0, 1), align=256, fill_value=90)",
        "fn.flip(image, horizontal=1)",
        "fn.flip(image, horizontal=0, vertical=1)",
        "fn.transpose(image, perm=(1, 0, 2))",
        "fn.resize(image, resize_x=120, resize_y=160)",
        "fn.resize(image, size=(60, 80), interp_type=types.INTERP_NN)",
        "fn.resize_crop_mirror(image, resize_shorter=220, crop=(180, 180), mirror=1)",
        "fn.random_resized_crop(image, size=(150, 150), random_area=(0.2, 0.5))",
        "fn.rotate(image, angle=25, fill_value=255)",
        "fn.rotate(image, angle=25, keep_size=True)",
        "fn.warp_affine(image, matrix=(1.1, 0.35, -45, -0.1, 1.2, 0), fill_value=255)",
        "fn.warp_affine(image, fn.transforms.shear(angles=(15, 0), center=(120, 90)))",
        "fn.warp_affine(image, fn.transforms.rotation(angle=30, center=(120, 90)), fill_value=0)",
        (
            "fn.experimental.warp_perspective(image, "
            "matrix=(0.7, 0.1, 30, 0, 0.9, 10, -0.001, 0.001, 1))"
        ),
        "fn.paste(image, ratio=1.5, fill_value=(90, 120, 90))",
        (
            "fn.multi_paste(image, output_size=(180, 240), in_ids=(0, 0), "
            "out_anchors=((0, 0), (90, 120)), shapes=((90, 120), (90, 120)))"
        ),
        "fn.water(image, ampl_x=8.0, ampl_y=8.0)",
        "fn.sphere(image, interp_type=types.INTERP_LINEAR)",
        "fn.jitter(image, nDegree=6)",
        "fn.tensor_resize(image, scales=(0.6, 1.0), axes=(0, 1))",
        (
            "fn.experimental.remap(image, np.mgrid[:180, :240][1] ** 2 / 240, "
            "np.mgrid[:180, :240][0] ** 2 / 180)"
        ),
    ),
    "Color": (
        "fn.brightness(image, brightness=1.5)",
        "fn.contrast(image, contrast=1.7)",
        "fn.brightness_contrast(image, brightness=1.2, contrast=0.6)",
        "fn.hue(image, hue=90.0)",
        "fn.saturation(image, saturation=0.2)",
        "fn.hsv(image, hue=-60.0, saturation=1.4, value=0.9)",
        "fn.color_twist(image, brightness=1.2, contrast=1.3, hue=30.0, saturation=0.7)",
        "fn.color_space_conversion(image, image_type=types.RGB, output_type=types.YCbCr)",
        "fn.color_space_conversion(image, image_type=types.RGB, output_type=types.GRAY)",
        (
            "fn.coord_transform(image, dtype=types.UINT8, "
            "M=(0.4, 0.7, 0.2, 0.3, 0.6, 0.2, 0.2, 0.5, 0.1))"
        ),
        (
            "fn.lookup_table(fn.color_space_conversion("
            "image, image_type=types.RGB, output_type=types.GRAY), "
            "keys=range(256), values=range(255, -1, -1), dtype=types.UINT8)"
        ),
        "fn.crop_mirror_normalize(image, mean=(124, 116, 104), std=(58, 57, 57), mirror=1)",
        "fn.normalize(image, axes=(0, 1), shift=128, scale=60, dtype=types.UINT8)",
        "fn.equalize(image)",
        "fn.clahe(image, tiles_x=4, tiles_y=4, clip_limit=3.0)",
        (
            "fn.debayer(fn.reductions.max(image * np.tile(np.uint8("
            "[[[1, 0, 0], [0, 1, 0]], [[0, 1, 0], [0, 0, 1]]]), (90, 120, 1)), axes=2), "
            "blue_position=(0, 0))"
        ),
        "255 - image",
    ),
    "Filters, noise and cut-outs": (
        "fn.gaussian_blur(image, sigma=3.0)",
        "fn.filter(image, np.float32([[0, -1, 0], [-1, 5, -1], [0, -1, 0]]))",
        "fn.laplacian(image, window_size=5, dtype=types.FLOAT)",
        "fn.experimental.median_blur(image, window_size=(7, 7))",
        "fn.experimental.dilate(image, mask_size=(5, 5))",
        "fn.experimental.erode(image, mask_size=(5, 5))",
        "fn.noise.gaussian(image, stddev=25.0)",
        "fn.noise.salt_and_pepper(image, prob=0.08)",
        "fn.noise.shot(image, factor=25.0)",
        "fn.jpeg_compression_distortion(image, quality=5)",
        "fn.erase(image, anchor=(40, 60), shape=(60, 100), fill_value=128)",
        "fn.grid_mask(image, tile=40, ratio=0.5, angle=0.4)",
    ),
    "Sequences and volumes": (
        "fn.rotate(volume, angle=35, axis=(1, 0, 0), keep_size=True, fill_value=255)",
        "fn.warp_affine(volume, fn.transforms.scale(scale=(0.6, 0.6, 1)))",
        "fn.sequence_rearrange(video, new_order=(2, 0, 1))",
        "fn.rotate(video, angle=fn.per_frame([0.0, 20.0, 40.0]), keep_size=True)",
        "fn.flip(video, horizontal=fn.per_frame([0, 1, 0]))",
        "fn.brightness(video, brightness=fn.per_frame([0.6, 1.0, 1.6]))",
        "fn.gaussian_blur(video, sigma=fn.per_frame([0.5, 2.0, 5.0]))",
        "fn.element_extract(video, element_map=1)",
    ),
}


def fixtures() -> ModuleType:
    """Return the module that draws scenes."""
    spec = importlib.util.spec_from_file_location("scenes", ROOT / "fixtures" / "scenes.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


Inputs = dict[str, tuple[Any, str]]


def drawn() -> Inputs:
    """Return the inputs by name: the array, and its layout."""
    draw = fixtures().scene
    return inputs_of(draw(7, HEIGHT, WIDTH), draw(7, 108, 140))


def inputs_of(image: Any, wide: Any) -> Inputs:
    """Return the inputs of calls.

    Args:
        image: RGB (HEIGHT, WIDTH, 3).
        wide: RGB (108, 140 or more, 3), through which the camera of the video moves.
    """
    # The camera moves to the right. In the volume the drawing moves from plane to plane.
    video = np.stack([wide[:, 30 * i : 30 * i + 76] for i in range(FRAMES)])
    volume = np.full((76, 76, 76, 3), 30, np.uint8)
    block = fixtures().scene(5, 60, 60)
    for depth in range(8, 68):
        volume[depth, 8:68, 8:68] = np.roll(block, depth - 8, axis=1)
    return {"image": (image, "HWC"), "video": (video, "FHWC"), "volume": (volume, "DHWC")}


def operator_of(call: str) -> str:
    """Return the name in `fn` of the operator that a call calls, or "" for arithmetic.

    >>> operator_of("fn.noise.shot(image)")
    'noise.shot'
    """
    match = re.match(r"fn\.([\w.]+)\(", call)
    return match[1] if match else ""


def is_there(call: str) -> bool:
    """Return whether this version has all operators of a call, for the CPU."""
    for name in re.findall(r"fn\.([\w.]+)\(", call):
        function: Any = fn
        for part in name.split("."):
            function = getattr(function, part, None)
        if function is None or "cpu" not in function.__doc__.partition("device (str | None): ")[2]:
            return False
    return True


def chosen_calls(wanted: Sequence[str]) -> dict[str, list[str]]:
    """Return the calls to draw by group: all, or those of the operators `wanted`."""
    groups = {
        group: [
            call for call in calls if is_there(call) and (not wanted or operator_of(call) in wanted)
        ]
        for group, calls in CALLS.items()
    }
    return {group: calls for group, calls in groups.items() if calls}


def pictures_of(calls: Sequence[str], inputs: Inputs) -> Iterator[tuple[str, Any, Any]]:
    """Yield each call with the pictures of its input and of its output."""
    with Pipeline(batch_size=1, num_threads=2, seed=6) as pipe:
        names: dict[str, Any] = {
            name: types.Constant(array, layout=layout) for name, (array, layout) in inputs.items()
        }
        # The calls are those of this file.
        outputs = [eval(call, {"fn": fn, "np": np, "types": types, **names}) for call in calls]
        pipe.set_outputs(*outputs)
        results = pipe.run()
        for call, result in zip(calls, results, strict=True):
            name = next(name for name in inputs if re.search(rf"\b{name}\b", call))
            yield call, as_picture(*inputs[name]), as_picture(result.at(0), result.layout())


def as_picture(array: Any, layout: str) -> Any:
    """Return a picture, RGB (height, width, 3) uint8, of an array with a layout."""
    array = np.asarray(array)
    if layout[:1] in ("F", "D"):
        count = min(len(array), FRAMES if layout[0] == "F" else SLICES)
        chosen = np.linspace(0, len(array) - 1, count + 2 * (layout[0] == "D")).astype(int)
        chosen = chosen[1:-1] if layout[0] == "D" else chosen
        frames = [as_picture(array[i], layout[1:]) for i in chosen]
        gap = np.full((len(frames[0]), 4, 3), 255, np.uint8)
        return np.concatenate([part for frame in frames for part in (frame, gap)][:-1], axis=1)
    if layout[:1] == "C":
        array = array.transpose(1, 2, 0)
    if array.dtype != np.uint8:
        low, high = float(array.min()), float(array.max())
        array = ((array - low) * (255 / max(high - low, 1e-9))).astype(np.uint8)
    array = array.reshape(*array.shape[:2], -1)
    return np.repeat(array, 3, axis=2) if array.shape[2] == 1 else np.ascontiguousarray(array)


def shrunk(picture: Any) -> Any:
    """Return a picture that fits into a cell of the page."""
    height, width = picture.shape[:2]
    factor = min(HEIGHT / height, WIDTH / width)
    if factor >= 1:
        return picture
    size = max(1, round(width * factor)), max(1, round(height * factor))
    return cv2.resize(picture, size, interpolation=cv2.INTER_AREA)


def cell_of(picture: Any, cell_height: int) -> Any:
    """Return a picture in the middle of a cell of the page."""
    height, width = picture.shape[:2]
    cell = np.full((cell_height, WIDTH, 3), PAPER, np.uint8)
    cell[(cell_height - height) // 2 :, (WIDTH - width) // 2 :][:height, :width] = picture
    return cell


def write_text(page: Any, text: str, x: int, y: int, scale: float = 0.4) -> None:
    """Write a line whose upper left corner is at (x, y)."""
    font, style = cv2.FONT_HERSHEY_SIMPLEX, cv2.LINE_AA
    cv2.putText(page, text, (x, y + round(30 * scale)), font, scale, INK, 1, style)


def pair_of(before: Any, after: Any, height: int) -> Any:
    """Return input and output beside one another, `height` high."""
    middle = height // 2
    arrow = np.full((height, GAP, 3), PAPER, np.uint8)
    cv2.arrowedLine(arrow, (2, middle), (GAP - 3, middle), INK, 1, cv2.LINE_AA, 0, 0.4)
    return np.concatenate([cell_of(before, height), arrow, cell_of(after, height)], axis=1)


def entry(call: str, before: Any, after: Any, height: int, lines: int) -> Any:
    """Return input and output, `height` high, over their caption of `lines` lines."""
    width = 2 * WIDTH + GAP
    pair = pair_of(before, after, height)
    caption = np.full((lines * LINE + GAP, width, 3), PAPER, np.uint8)
    for i, line in enumerate(textwrap.wrap(call, LETTERS)):
        write_text(caption, line, 0, 4 + i * LINE)
    return np.concatenate([pair, caption])


def group_of(title: str, calls: Sequence[str]) -> Any:
    """Return the part of the page for a group of calls, under its title."""
    entries = [
        (call, shrunk(before), shrunk(after)) for call, before, after in pictures_of(calls, drawn())
    ]
    width = ACROSS * (2 * WIDTH + 3 * GAP)
    head = np.full((44, width, 3), PAPER, np.uint8)
    write_text(head, title, GAP, 8, 0.7)
    head[-2:] = RULE
    strips = [head, np.full((GAP, width, 3), PAPER, np.uint8)]
    for first in range(0, len(entries), ACROSS):
        some = entries[first : first + ACROSS]
        lines = max(len(textwrap.wrap(call, LETTERS)) for call, _, _ in some)
        height = max(len(picture) for _, *pair in some for picture in pair)
        strip = np.full((height + lines * LINE + 2 * GAP, width, 3), PAPER, np.uint8)
        for i, sample in enumerate(some):
            drawing = entry(*sample, height, lines)
            left = GAP + i * (2 * WIDTH + 3 * GAP)
            strip[: len(drawing), left : left + drawing.shape[1]] = drawing
        strips.append(strip)
    return np.concatenate(strips)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("operators", nargs="*", help="only these, by their names in fn")
    parser.add_argument("--page", type=Path, default=Path("gallery.png"), help="PNG to write")
    options = parser.parse_args()
    groups = chosen_calls(options.operators)
    if not groups:
        parser.error(f"no picture of {', '.join(options.operators)}")
    page = np.concatenate([group_of(title, calls) for title, calls in groups.items()])
    cv2.imwrite(str(options.page), page[..., ::-1])
    print(f"{sum(map(len, groups.values()))} calls drawn into {options.page.resolve()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
