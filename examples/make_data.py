"""Draw small data sets for the other examples.

    python examples/make_data.py data            # all of them
    python examples/make_data.py data --only photos shapes

A data set has two parts, `train` and `val`. `photos` has a subfolder of images for each class.
`shapes` has images, their masks, and boxes in COCO's format. `speech` has manifests of NVIDIA NeMo,
with one sound a letter. `videos` has a folder of clips for each direction.
`texts` has files of short stories.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import cv2
import numpy as np

GENERATOR = Path(__file__).resolve().parent.parent / "fixtures" / "generate.py"
RATE = 16_000  # samples of speech a second
FORMANTS = {"a": (730, 1090), "e": (530, 1840), "i": (270, 2290), "o": (570, 840), "u": (300, 870)}
HISS = {"s": (4500, 7500), "f": (1500, 4000)}
SECONDS_OF_LETTER = (0.10, 0.18)
DIRECTIONS = {"down": (2, 0), "left": (0, -3), "right": (0, 3), "up": (-2, 0)}
ANIMALS = ("cat", "dog", "fox", "hen", "owl", "rabbit", "sheep", "tiger")
VERBS = ("went", "ran", "jumped", "looked", "walked slowly", "came back")
PLACES = ("to the river", "into the house", "over the hill", "under a tree", "to town")
FRAMES, HEIGHT, WIDTH, FRAME_RATE = 60, 96, 160, 30

Array = np.ndarray[Any, Any]


def generator() -> Any:
    """Return the module that draws photographs and scenes."""
    spec = importlib.util.spec_from_file_location("generate", GENERATOR)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def photos(folder: Path, train: int = 64, val: int = 16) -> None:
    """Draw so many pictures of each of eight subjects, one subfolder a subject."""
    with TemporaryDirectory() as drawn:
        tree = generator().subject_tree(Path(drawn, "a"), per_class=train + val, size=(120, 160))
        for number, path in enumerate(tree.files):
            part = "train" if number % (train + val) < train else "val"
            target = folder / part / path.parent.name / path.name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())


def shapes(folder: Path, train: int = 256, val: int = 64) -> None:
    """Draw images of shapes, masks whose pixels are the shapes' classes, and COCO's annotations."""
    random = np.random.default_rng(0)
    for part, count in (("train", train), ("val", val)):
        images: list[dict[str, Any]] = []
        annotations: list[dict[str, Any]] = []
        for kind in ("images", "masks"):
            (folder / part / kind).mkdir(parents=True, exist_ok=True)
        for number in range(count):
            image, mask, boxes = scene(random)
            name = f"{number:04}.jpg"
            cv2.imwrite(str(folder / part / "images" / name), image)
            cv2.imwrite(str(folder / part / "masks" / f"{number:04}.png"), mask)
            height, width = mask.shape
            images.append({"id": number, "file_name": name, "height": height, "width": width})
            for class_, box in boxes:
                entry = {"image_id": number, "category_id": class_, "bbox": box}
                entry |= {"id": len(annotations), "area": box[2] * box[3], "iscrowd": 0}
                annotations.append(entry)
        categories = [{"id": 1, "name": "disk"}, {"id": 2, "name": "square"}]
        content = {"images": images, "annotations": annotations, "categories": categories}
        (folder / part / "annotations.json").write_text(json.dumps(content))


def scene(random: np.random.Generator) -> tuple[Array, Array, list[tuple[int, list[int]]]]:
    """Return an image of blue disks (class 1) and red squares (class 2), its mask, its boxes."""
    height, width = random.integers(96, 130, 2).tolist()
    coarse = random.integers(100, 180, (height // 8, width // 8, 3), np.uint8)
    image, mask = cv2.resize(coarse, (width, height)), np.zeros((height, width), np.uint8)
    boxes = []
    for column in range(2):
        class_, half = int(random.integers(1, 3)), int(random.integers(11, 22))
        x = column * width // 2 + int(random.integers(half, width // 2 - half))
        y = int(random.integers(half, height - half))
        bright, dark = random.integers(180, 256), random.integers(0, 120)
        color = [int(bright), int(dark), int(dark)][:: 1 if class_ == 1 else -1]
        for canvas, value in ((image, color), (mask, class_)):
            if class_ == 1:
                cv2.circle(canvas, (x, y), half, value, -1)
            else:
                cv2.rectangle(canvas, (x - half, y - half), (x + half, y + half), value, -1)
        boxes.append((class_, [x - half, y - half, 2 * half, 2 * half]))
    return image, mask, boxes


def speech(folder: Path, train: int = 256, val: int = 32) -> None:
    """Write FLAC files of random words, and their manifests."""
    import soundfile

    random = np.random.default_rng(0)
    for part, count in (("train", train), ("val", val)):
        (folder / part).mkdir(parents=True, exist_ok=True)
        lines = []
        for number in range(count):
            text = "".join(random.choice([*FORMANTS, *HISS], random.integers(4, 10)))
            signal = spoken(text, random)
            soundfile.write(folder / part / f"{number}.flac", signal, RATE)
            entry = {"audio_filepath": f"{part}/{number}.flac", "duration": len(signal) / RATE}
            lines.append(json.dumps({**entry, "text": text}) + "\n")
        (folder / f"{part}.json").write_text("".join(lines))


def spoken(text: str, random: np.random.Generator) -> Array:
    """Return the sounds of letters, one after the other: (samples,) float32."""
    pitch = random.uniform(90, 220)
    sounds = []
    for letter in text:
        time = np.arange(0, random.uniform(*SECONDS_OF_LETTER), 1 / RATE)
        envelope = np.sin(np.pi * np.arange(len(time)) / len(time)) ** 0.5
        sounds.append(0.2 * envelope * sound_of(letter, time, pitch, random))
    return np.concatenate(sounds).astype(np.float32)


def sound_of(letter: str, time: Array, pitch: float, random: np.random.Generator) -> Array:
    """Return one sound: harmonics of the pitch near the vowel's formants, or hissing noise."""
    if letter in HISS:
        noise = random.uniform(*HISS[letter], size=(40, 1))
        return np.asarray(np.sin(2 * np.pi * (noise * time + random.random((40, 1)))).mean(axis=0))
    hz = pitch * np.arange(1, 30)[:, np.newaxis]
    weights = np.exp(-(((hz - FORMANTS[letter]) / 150) ** 2)).sum(axis=1, keepdims=True)
    return np.asarray((weights * np.sin(2 * np.pi * hz * time)).sum(axis=0))


def videos(folder: Path, train: int = 32, val: int = 8) -> None:
    """Write videos of a disk that moves, one folder a direction."""
    random = np.random.default_rng(5)
    for part, count in (("train", train), ("val", val)):
        for number in range(count):
            name, direction = list(DIRECTIONS.items())[number % len(DIRECTIONS)]
            path = folder / part / name / f"{number}.mp4"
            path.parent.mkdir(parents=True, exist_ok=True)
            video(path, direction, random)


def video(path: Path, direction: tuple[int, int], random: np.random.Generator) -> None:
    """Write a video of two seconds: a disk on a ground with a grid."""
    import av

    color, start = random.integers(0, 200, 3).tolist(), random.integers(0, 90, 2).tolist()
    with av.open(str(path), "w") as output:
        stream = output.add_stream("libx264", rate=FRAME_RATE)
        stream.height, stream.width, stream.pix_fmt = HEIGHT, WIDTH, "yuv420p"
        for number in range(FRAMES):
            image = np.full((HEIGHT, WIDTH, 3), 235, np.uint8)
            image[::16], image[:, ::16] = 210, 210
            y, x = start[0] + direction[0] * number, start[1] + direction[1] * number
            cv2.circle(image, (x % WIDTH, y % HEIGHT), 14, color, -1, cv2.LINE_AA)
            frame = av.VideoFrame.from_ndarray(image, format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, FRAME_RATE)
            output.mux(stream.encode(frame))
        output.mux(stream.encode(None))


def texts(folder: Path, train: int = 1024, val: int = 64) -> None:
    """Write stories of 1 to 30 sentences, most of them short."""
    random = np.random.default_rng(2)
    for part, count in (("train", train), ("val", val)):
        (folder / part).mkdir(parents=True, exist_ok=True)
        for number in range(count):
            sentences = min(30, 1 + int(random.exponential(5)))
            (folder / part / f"{number:04}.txt").write_text(story(sentences, random))


def story(sentences: int, random: np.random.Generator) -> str:
    """Return sentences on one animal, which the first one names."""
    hero = str(random.choice(ANIMALS))
    lines = [f"Once there was a {hero}."]
    for _ in range(sentences):
        verb, place = (str(random.choice(words)) for words in (VERBS, PLACES))
        lines.append(f"The {hero} {verb} {place}.")
    return " ".join(lines)


MAKERS = {maker.__name__: maker for maker in (photos, shapes, speech, videos, texts)}


def main() -> None:
    """Draw the data sets that are chosen."""
    parser = argparse.ArgumentParser(description="Draw small data sets for the other examples.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="+", choices=MAKERS, default=list(MAKERS))
    given = parser.parse_args()
    for name in given.only:
        MAKERS[name](given.folder / name)
        print(f"{given.folder / name} is drawn")


if __name__ == "__main__":
    main()
