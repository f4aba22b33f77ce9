"""Pictures on the pages of operators: the calls of examples/gallery.py, on a photograph.

The photograph comes with scikit-learn: china.jpg, by danielbuechele, under CC BY 2.0.
"""

from __future__ import annotations

import importlib.util
import re
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import cv2
import operator_pages  # type: ignore[import-not-found]  # beside this file
import sklearn.datasets

ROOT = Path(__file__).resolve().parent.parent.parent

CREDIT = (
    "Photograph: [danielbuechele](https://www.flickr.com/photos/danielbuechele/6061409035/), "
    "[CC BY 2.0](https://creativecommons.org/licenses/by/2.0/), from scikit-learn; changed by the "
    "operators."
)
SEEN = {
    "image": "a photograph of a pagoda above a lake",
    "video": "three frames of a video that moves over a photograph of a pagoda",
    "volume": "three planes of a block in space",
}
"""What pictures of the inputs show, by the names of the inputs."""

Groups = dict[str, list[tuple[str, str]]]


def write(folder: Path) -> Groups:
    """Draw all calls into a folder of pictures.

    Returns:
        By group, operators with the Markdown of their pictures; `{}` stands for the way to the
        folder. An operator may have several pictures; that of arithmetic is "".
    """
    gallery = load(ROOT / "examples" / "gallery.py")
    inputs = photographs(gallery)
    folder.mkdir(parents=True, exist_ok=True)
    counts: Counter[str] = Counter()
    groups: Groups = {}
    for group, calls in gallery.chosen_calls([]).items():
        for call, before, after in gallery.pictures_of(calls, inputs):
            name = gallery.operator_of(call)
            file = f"{name or 'arithmetic'}-{counts[name]}.png"
            counts[name] += 1
            height = max(len(picture) for picture in map(gallery.shrunk, (before, after)))
            pair = gallery.pair_of(gallery.shrunk(before), gallery.shrunk(after), height)
            cv2.imwrite(str(folder / file), pair[..., ::-1])
            text = f"```python\n{call}\n```\n\n![{seen(name, call)}]({{}}/{file})"
            groups.setdefault(group, []).append((name, text))
    return groups


def seen(name: str, call: str) -> str:
    """Return the alternative text of a picture: what is on the left and on the right.

    >>> seen("", "255 - image")
    'Left: a photograph of a pagoda above a lake. Right: the result of 255 - image.'
    """
    before = next(text for word, text in SEEN.items() if re.search(rf"\b{word}\b", call))
    after = f"{call}."
    if name:
        does = operator_pages.summary(operator_pages.public()[name]).replace("`", "")
        after = operator_pages.escaped(f"fn.{name}, which {does[0].lower()}{does[1:]}")
    return f"Left: {before}. Right: the result of {after}"


def by_operator(groups: Groups) -> dict[str, str]:
    """Return the Markdown of the pictures of each operator, for its page."""
    texts: dict[str, list[str]] = {}
    for entries in groups.values():
        for name, text in entries:
            texts.setdefault(name, []).append(text.replace("{}", "pictures"))
    return {
        name: "\n\n".join(
            [*paragraphs, *[CREDIT] * any("photograph" in text for text in paragraphs)]
        )
        for name, paragraphs in texts.items()
        if name
    }


def gallery_page(groups: Groups, folder: str) -> str:
    """Return the page of all pictures, which are in a folder."""
    parts = ["# Gallery", "Each call with its input and its output.", CREDIT]
    for group, entries in groups.items():
        parts += [f"## {group}", *(text.replace("{}", folder) for _, text in entries)]
    return "\n\n".join(parts) + "\n"


def load(path: Path) -> ModuleType:
    """Import a program that is no module of the package."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def photographs(gallery: ModuleType) -> Any:
    """Return the inputs of the gallery's calls, made of the photograph."""
    photo = sklearn.datasets.load_sample_image("china.jpg")[:, 40:610]  # 4:3
    image = cv2.resize(photo, (gallery.WIDTH, gallery.HEIGHT), interpolation=cv2.INTER_AREA)
    wide = cv2.resize(photo, (144, 108), interpolation=cv2.INTER_AREA)
    return gallery.inputs_of(image, wide)
