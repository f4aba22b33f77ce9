"""Drawings on the pages of operators whose inputs or results are no images: sounds, boxes, masks.

A caption is the call itself, which the build evaluates. So a new operator needs one entry in
`CALLS`. The sound is that of fixtures/speech.py. The photograph is that of `operator_pictures`.
"""

from __future__ import annotations

import ast
import io
import re
import wave
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import operator_pictures  # type: ignore[import-not-found]  # beside this file

from penstock import Pipeline, fn, types

gallery = operator_pictures.load(operator_pictures.ROOT / "examples" / "gallery.py")
speech = operator_pictures.load(operator_pictures.ROOT / "fixtures" / "speech.py")

RATE, SECONDS, SILENCE = 16000, 1.6, 0.3
HEIGHT, WIDTH = gallery.HEIGHT, gallery.WIDTH
COLORS = ((230, 60, 40), (250, 200, 0), (40, 120, 250))  # of boxes and masks, by label

# `signal` is a sound of `RATE` samples a second, between silence. `image` is a photograph.
# `vertices` outline its three objects in pixels, (x, y). `polygons` say which vertices belong to
# which object, `mask` has the number of the object at each pixel, and `boxes` are around the
# objects: left, top, right and bottom, relative to the size of the image. `labels` are the numbers
# of the objects. `recording` is a WAV file of the sound, and `encoded` a JPEG of the photograph.
OUTLINES = (
    (
        "66,13 73,13 75,25 95,40 117,50 108,60 121,74 119,97 130,108 126,118 128,130 137,142 "
        "120,157 104,162 68,158 50,148 16,140 18,118 10,112 24,100 20,72 33,62 24,50 24,45 60,30"
    ),
    "160,99 166,96 190,96 194,99 190,102 164,102",
    "239,57 230,58 224,75 213,95 220,115 220,179 239,179",
)

CALLS = {
    "Sounds": {
        "decoders.audio": (
            "signal",
            ("signal, rate = fn.decoders.audio(recording, sample_rate=8000, downmix=True)\nsignal"),
        ),
        "audio_resample": (
            "signal",
            "fn.audio_resample(signal, in_rate=16000, out_rate=4000, antialias=True)",
        ),
        "preemphasis_filter": ("signal", "fn.preemphasis_filter(signal)"),
        "nonsilent_region": (
            "signal",
            (
                "start, length = fn.nonsilent_region(signal, cutoff_db=-40)\n"
                "fn.slice(signal, start, length, axes=0)"
            ),
        ),
    },
    "Spectra": {
        "power_spectrum": ("signal", "fn.to_decibels(fn.power_spectrum(signal), cutoff_db=-80)"),
        "spectrogram": (
            "signal",
            "fn.to_decibels(fn.spectrogram(signal, nfft=512, window_step=128), cutoff_db=-60)",
        ),
        "to_decibels": (
            "fn.spectrogram(signal, nfft=512, window_step=128)",
            (
                "spectrogram = fn.spectrogram(signal, nfft=512, window_step=128)\n"
                "fn.to_decibels(spectrogram, cutoff_db=-60)"
            ),
        ),
        "mel_filter_bank": (
            "fn.to_decibels(fn.spectrogram(signal, nfft=512, window_step=128), cutoff_db=-60)",
            (
                "spectrogram = fn.spectrogram(signal, nfft=512, window_step=128)\n"
                "mel = fn.mel_filter_bank(spectrogram, sample_rate=16000, nfilter=40)\n"
                "fn.to_decibels(mel, cutoff_db=-60)"
            ),
        ),
        "mfcc": (
            (
                "fn.to_decibels(fn.mel_filter_bank("
                "fn.spectrogram(signal, nfft=512, window_step=128), "
                "sample_rate=16000, nfilter=40), cutoff_db=-60)"
            ),
            (
                "spectrogram = fn.spectrogram(signal, nfft=512, window_step=128)\n"
                "mel = fn.mel_filter_bank(spectrogram, sample_rate=16000, nfilter=40)\n"
                "fn.mfcc(fn.to_decibels(mel, cutoff_db=-60), n_mfcc=20, normalize=True, lifter=22)"
            ),
        ),
    },
    "Images": {
        "decoders.image_crop": (
            "image",
            "fn.decoders.image_crop(encoded, crop=(120, 120), crop_pos_x=0.1, crop_pos_y=0.5)",
        ),
        "decoders.image_slice": (
            "image",
            "fn.decoders.image_slice(encoded, (0.0, 0.2), (0.6, 0.8), axis_names='WH')",
        ),
        "decoders.image_random_crop": (
            "image",
            "fn.decoders.image_random_crop(encoded, random_area=(0.2, 0.5))",
        ),
        "mixup": (
            "image",
            (
                "images = fn.flip(image, horizontal=fn.batch_permutation())\n"
                "mixed, probabilities = fn.mixup(images, [1], num_classes=3)\n"
                "mixed"
            ),
        ),
        "cutmix": (
            "image",
            (
                "images = fn.flip(image, horizontal=fn.batch_permutation())\n"
                "mixed, probabilities = fn.cutmix(images, [1], num_classes=3)\n"
                "mixed"
            ),
        ),
    },
    "Boxes": {
        "bb_flip": ("image, boxes", "fn.flip(image), fn.bb_flip(boxes, ltrb=True)"),
        "bbox_paste": (
            "image, boxes",
            (
                "fn.paste(image, ratio=1.5, fill_value=(90, 120, 90)), "
                "fn.bbox_paste(boxes, ratio=1.5, ltrb=True)"
            ),
        ),
        "bbox_rotate": (
            "image, boxes",
            (
                "fn.rotate(image, angle=15, fill_value=255), "
                "*fn.bbox_rotate(boxes, labels, angle=15.0, input_shape=(180, 240))"
            ),
        ),
        "random_bbox_crop": (
            "image, boxes",
            (
                "start, size, kept, kept_labels = fn.random_bbox_crop(\n"
                "    boxes, labels, scaling=(0.5, 0.8), allow_no_crop=False\n"
                ")\n"
                "fn.slice(image, start, size), kept, kept_labels"
            ),
        ),
        "ssd_random_crop": (
            "image, boxes",
            "fn.ssd_random_crop(image, boxes, labels, num_attempts=50)",
        ),
        "box_encoder": (
            "image, boxes",
            (
                "anchors = np.float32([\n"
                "    (x / 8, y / 8, x / 8 + width, y / 8 + height)\n"
                "    for width, height in ((0.5, 0.75), (0.125, 0.625), (0.25, 0.125))\n"
                "    for x in range(8) for y in range(8)\n"
                "])\n"
                "encoded, matched = fn.box_encoder(\n"
                "    boxes, labels, anchors=anchors.ravel(), criteria=0.5\n"
                ")\n"
                "image, types.Constant(anchors), matched  # drawn: the anchors that got a box"
            ),
        ),
    },
    "Points": {
        "coord_flip": ("image, vertices", "fn.flip(image), fn.coord_flip(vertices, center_x=120)"),
        "coord_transform": (
            "image, vertices",
            (
                "matrix = fn.transforms.rotation(angle=25, center=(120, 90))\n"
                "moved = fn.warp_affine(image, matrix, inverse_map=False, fill_value=255)\n"
                "moved, fn.coord_transform(vertices, MT=matrix)"
            ),
        ),
        "transforms.combine": (
            "image, vertices",
            (
                "rotation = fn.transforms.rotation(angle=25, center=(120, 90))\n"
                "shift = fn.transforms.translation(offset=(40, 0))\n"
                "matrix = fn.transforms.combine(rotation, shift)\n"
                "moved = fn.warp_affine(image, matrix, inverse_map=False, fill_value=255)\n"
                "moved, fn.coord_transform(vertices, MT=matrix)"
            ),
        ),
        "transforms.crop": (
            "image, vertices",
            (
                "matrix = fn.transforms.crop(from_end=(160, 180), to_end=(240, 180))\n"
                "moved = fn.warp_affine(image, matrix, inverse_map=False, fill_value=255)\n"
                "moved, fn.coord_transform(vertices, MT=matrix)"
            ),
        ),
        "transforms.rotation": (
            "image, vertices",
            (
                "matrix = fn.transforms.rotation(angle=25, center=(120, 90))\n"
                "moved = fn.warp_affine(image, matrix, inverse_map=False, fill_value=255)\n"
                "moved, fn.coord_transform(vertices, MT=matrix)"
            ),
        ),
        "transforms.scale": (
            "image, vertices",
            (
                "matrix = fn.transforms.scale(scale=(0.6, 0.9), center=(120, 90))\n"
                "moved = fn.warp_affine(image, matrix, inverse_map=False, fill_value=255)\n"
                "moved, fn.coord_transform(vertices, MT=matrix)"
            ),
        ),
        "transforms.shear": (
            "image, vertices",
            (
                "matrix = fn.transforms.shear(angles=(15, 0), center=(120, 90))\n"
                "moved = fn.warp_affine(image, matrix, inverse_map=False, fill_value=255)\n"
                "moved, fn.coord_transform(vertices, MT=matrix)"
            ),
        ),
        "transforms.translation": (
            "image, vertices",
            (
                "matrix = fn.transforms.translation(offset=(40, -20))\n"
                "moved = fn.warp_affine(image, matrix, inverse_map=False, fill_value=255)\n"
                "moved, fn.coord_transform(vertices, MT=matrix)"
            ),
        ),
    },
    "Masks": {
        "segmentation.select_masks": (
            "polygons, vertices",
            "fn.segmentation.select_masks([3, 1], polygons, vertices)",
        ),
        "segmentation.random_mask_pixel": (
            "polygons, vertices",
            "polygons, vertices, fn.segmentation.random_mask_pixel(mask, foreground=1)",
        ),
        "segmentation.random_object_bbox": (
            "polygons, vertices",
            (
                "start, end = fn.segmentation.random_object_bbox(mask, format='start_end')\n"
                "polygons, vertices, start, end"
            ),
        ),
        "roi_random_crop": (
            "polygons, vertices",
            (
                "start, end = fn.segmentation.random_object_bbox(mask, format='start_end')\n"
                "first = fn.roi_random_crop(\n"
                "    crop_shape=(60, 60), roi_start=start, roi_end=end, in_shape=(180, 240)\n"
                ")\n"
                "polygons, vertices, first, first + 60"
            ),
        ),
        "random_crop_generator": (
            "polygons, vertices",
            (
                "start, size = fn.random_crop_generator((180, 240), random_area=(0.2, 0.5))\n"
                "polygons, vertices, start, start + size"
            ),
        ),
    },
}
"""By kind of drawing and name of the operator: what is drawn on the left and on the right."""

SEEN = {
    "Sounds": "Waveform over spectrogram, of the sound on the left and of the result on the right",
    "Spectra": "The input on the left and the result on the right, as curves or as heat maps",
    "Images": "A photograph of a pagoda above a lake, and the result",
    "Boxes": "Boxes around a pagoda, an island and a tree, on the photograph and on the result",
    "Points": "Points along a pagoda, an island and a tree, on the photograph and on the result",
    "Masks": "Masks of a pagoda, an island and a tree on the photograph, and the result",
}


def inputs_of(image: Any) -> dict[str, Any]:
    """Return the inputs of the calls by name; `image` is RGB (HEIGHT, WIDTH, 3)."""
    lines = [
        np.array(re.findall(r"\d+", outline), np.float32).reshape(-1, 2) for outline in OUTLINES
    ]
    ends = np.cumsum([len(line) for line in lines])
    mask = np.zeros((HEIGHT, WIDTH), np.uint8)
    for label, line in enumerate(lines, 1):
        cv2.fillPoly(mask, [line.astype(np.int32)], label)
    extents = np.array([(*line.min(axis=0), *line.max(axis=0)) for line in lines])
    rows = [(i + 1, ends[i] - len(line), ends[i]) for i, line in enumerate(lines)]
    sound = speech.speech_like(SECONDS, RATE, 3)[:, 0].astype(np.float32)
    signal = np.pad(sound, round(SILENCE * RATE))
    return {
        "signal": signal,
        "recording": np.frombuffer(wave_file(signal, RATE), np.uint8),
        "image": types.Constant(image, layout="HWC"),
        "encoded": cv2.imencode(".jpg", image[..., ::-1])[1].ravel(),
        "vertices": np.concatenate(lines),
        "polygons": np.array(rows, np.int32),
        "mask": mask,
        "boxes": (extents / (WIDTH, HEIGHT, WIDTH, HEIGHT)).astype(np.float32),
        "labels": np.array([1, 2, 3], np.int32),
    }


def results(image: Any) -> Iterator[tuple[str, str, list[list[Any]]]]:
    """Yield kind and operator of each call, with the arrays of the left and of the right side."""
    inputs = inputs_of(image)
    with Pipeline(batch_size=2, num_threads=2, seed=11) as pipe:  # mixup needs two samples
        names = {
            name: types.Constant(value, device="cpu") if isinstance(value, np.ndarray) else value
            for name, value in inputs.items()
        }
        sides = [
            (kind, name, outputs_of(side, names))
            for kind, calls in CALLS.items()
            for name, call in calls.items()
            for side in call
        ]
        pipe.set_outputs(*(output for *_, outputs in sides for output in outputs))
        arrays = iter([np.asarray(result.at(0)) for result in pipe.run()])
    pictures = [(kind, name, [next(arrays) for _ in outputs]) for kind, name, outputs in sides]
    for (kind, name, left), (_, _, right) in zip(pictures[::2], pictures[1::2], strict=True):
        yield kind, name, [left, right]


def outputs_of(program: str, names: dict[str, Any]) -> Sequence[Any]:
    """Return the nodes that the last expression of a program of `CALLS` has as its value."""
    tree = ast.parse(program)
    last = tree.body.pop()
    assert isinstance(last, ast.Expr)
    scope = {"fn": fn, "np": np, "types": types, **names}
    exec(compile(tree, "call", "exec"), scope)
    outputs = eval(compile(ast.Expression(last.value), "call", "eval"), scope)
    return outputs if isinstance(outputs, (tuple, list)) else [outputs]


def curve(values: Any, height: int = 90) -> Any:
    """Draw numbers from left to right: in each column, all that the column stands for."""
    low, high = float(values.min()), float(values.max())
    rows = np.round((high - values) * ((height - 1) / max(high - low, 1e-9))).astype(int)
    picture = np.full((height, WIDTH, 3), gallery.PAPER, np.uint8)
    before = rows[0]
    for column, some in enumerate(np.array_split(rows, WIDTH)):
        top, bottom = min(before, *some), max(before, *some)
        picture[top : bottom + 1, column] = COLORS[2]
        before = some[-1]
    return noted(picture, f"{len(values)} numbers, {low:.4g} to {high:.4g}")


def heat_map(values: Any, height: int = HEIGHT) -> Any:
    """Draw an array of frequencies over time, the lowest frequency at the bottom."""
    low, high = float(values.min()), float(values.max())
    scaled = ((values - low) * (255 / max(high - low, 1e-9))).astype(np.uint8)[::-1]
    sized = cv2.resize(scaled, (WIDTH, height), interpolation=cv2.INTER_NEAREST)
    picture = cv2.applyColorMap(sized, cv2.COLORMAP_VIRIDIS)[..., ::-1]
    return noted(picture, f"{' x '.join(map(str, values.shape))}, {low:.4g} to {high:.4g}")


def noted(picture: Any, note: str) -> Any:
    """Return a picture over a line of text."""
    line = np.full((18, WIDTH, 3), gallery.PAPER, np.uint8)
    gallery.write_text(line, note, 0, 1)
    return np.concatenate([picture, line])


def draw_sound(image: Any, signal: Any) -> Any:
    """Draw the waveform of a sound over its spectrogram."""
    with Pipeline(batch_size=1, num_threads=1) as pipe:
        spectrogram = fn.spectrogram(types.Constant(signal), nfft=512, window_step=64)
        pipe.set_outputs(fn.to_decibels(spectrogram, cutoff_db=-60))
        (decibels,) = pipe.run()
    return np.concatenate([curve(signal), heat_map(decibels.at(0), 120)])


def draw_spectrum(image: Any, values: Any) -> Any:
    """Draw a signal or a spectrum as a curve, and one for each time as a heat map."""
    return curve(values, HEIGHT) if values.ndim == 1 else heat_map(values)


def draw_image(photo: Any, image: Any) -> Any:
    """Draw an image."""
    return gallery.shrunk(image)


def draw_boxes(photo: Any, image: Any, boxes: Any, labels: Any = (1, 2, 3)) -> Any:
    """Draw boxes on an image, in the colors of their labels; 0 is the background."""
    picture = image.copy()
    height, width = picture.shape[:2]
    corners = np.round(boxes * (width, height, width, height)).astype(int).tolist()
    for (left, top, right, bottom), label in zip(corners, np.ravel(labels), strict=True):
        if label:
            cv2.rectangle(picture, (left, top), (right - 1, bottom - 1), COLORS[label - 1], 2)
    return gallery.shrunk(picture)


def draw_points(photo: Any, image: Any, points: Any) -> Any:
    """Draw points on an image."""
    picture = image.copy()
    for x, y in np.round(points).astype(int).tolist():
        cv2.circle(picture, (x, y), 2, COLORS[0], -1, cv2.LINE_AA)
    return picture


def draw_masks(photo: Any, polygons: Any, vertices: Any, *place: Any) -> Any:
    """Draw masks on the photograph, and a pixel, or a window by its start and its end."""
    filled = photo.copy()
    for label, start, end in polygons:
        cv2.fillPoly(filled, [vertices[start:end].astype(np.int32)], COLORS[label - 1])
    picture = cv2.addWeighted(filled, 0.6, photo, 0.4, 0)
    corners = [point[::-1].tolist() for point in place]
    if len(corners) == 1:
        cv2.drawMarker(picture, corners[0], gallery.PAPER, cv2.MARKER_CROSS, 24, 3)
        cv2.drawMarker(picture, corners[0], gallery.INK, cv2.MARKER_CROSS, 22, 1)
    elif corners:
        cv2.rectangle(picture, corners[0], corners[1], gallery.PAPER, 3)
        cv2.rectangle(picture, corners[0], corners[1], gallery.INK, 1)
    return picture


DRAW: dict[str, Callable[..., Any]] = {
    "Sounds": draw_sound,
    "Spectra": draw_spectrum,
    "Images": draw_image,
    "Boxes": draw_boxes,
    "Points": draw_points,
    "Masks": draw_masks,
}


def write(folder: Path) -> dict[str, list[tuple[str, str]]]:
    """Draw all calls into a folder of pictures, and write their sounds beside them.

    Returns:
        By kind, each operator with the Markdown of its drawing; `{}` stands for the way to the
        folder.
    """
    photo = operator_pictures.photographs(gallery)["image"][0]
    texts: dict[str, list[tuple[str, str]]] = {}
    for kind, name, sides in results(photo):
        before, after = (DRAW[kind](photo, *side) for side in sides)
        pair = gallery.pair_of(before, after, max(len(before), len(after)))
        cv2.imwrite(str(folder / f"{name}-drawn.png"), pair[..., ::-1])
        call = CALLS[kind][name][1]
        text = f"```python\n{call}\n```\n\n![{SEEN[kind]}.]({{}}/{name}-drawn.png)"
        if kind == "Sounds":
            rate = re.search(r"(?:out|sample)_rate=(\d+)", call)
            (folder / "signal.wav").write_bytes(wave_file(sides[0][0], RATE))
            result = wave_file(sides[1][0], int(rate[1]) if rate else RATE)
            (folder / f"{name}.wav").write_bytes(result)
            text += f"\n\n{player('signal', 'The sound')}\n{player(name, 'The result')}"
        texts.setdefault(kind, []).append((name, text))
    return texts


def player(file: str, title: str) -> str:
    """Return the HTML of a player of a sound in the folder."""
    controls = f'<audio controls preload="none" src="{{}}/{file}.wav" aria-label="{title}">'
    return f"<figure><figcaption>{title}</figcaption>{controls}</audio></figure>"


def wave_file(signal: Any, rate: int) -> bytes:
    """Return a sound as a WAV file of 16 bits, at its full loudness."""
    loud = signal * (32767 / max(1e-9, float(np.abs(signal).max())))
    content = io.BytesIO()
    with wave.open(content, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(loud.astype("<i2").tobytes())
    return content.getvalue()
