"""Pictures on the pages of operators: the calls of examples/gallery.py, on a photograph.

The photograph comes with scikit-learn: china.jpg, by danielbuechele, under CC BY 2.0.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import cv2
import sklearn.datasets

ROOT = Path(__file__).resolve().parent.parent.parent

CREDIT = (
    "Photograph: [danielbuechele](https://www.flickr.com/photos/danielbuechele/6061409035/), "
    "[CC BY 2.0](https://creativecommons.org/licenses/by/2.0/), from scikit-learn; changed by the "
    "operators."
)


def write(folder: Path) -> tuple[dict[str, str], str]:
    """Draw all calls into a folder of pictures.

    Returns:
        Markdown of the pictures of each operator, by its name in `fn`, and the page of the gallery.
    """
    gallery = load(ROOT / "examples" / "gallery.py")
    inputs = photographs(gallery)
    folder.mkdir(parents=True, exist_ok=True)
    examples: dict[str, list[str]] = {}
    page = ["# Gallery", "Each call with its input and its output.", CREDIT]
    for group, calls in gallery.chosen_calls([]).items():
        page.append(f"## {group}")
        for call, before, after in gallery.pictures_of(calls, inputs):
            name = gallery.operator_of(call)
            number = len(examples.get(name, ()))
            file = folder / f"{name or 'arithmetic'}-{number}.png"
            height = max(len(picture) for picture in map(gallery.shrunk, (before, after)))
            pair = gallery.pair_of(gallery.shrunk(before), gallery.shrunk(after), height)
            cv2.imwrite(str(file), pair[..., ::-1])
            text = f"```python\n{call}\n```\n\n![input and output of fn.{name}]({{}}/{file.name})"
            examples.setdefault(name, []).append(text.format("pictures"))
            page.append(text.format("operators/pictures"))
    texts = {name: "\n\n".join([*each, CREDIT]) for name, each in examples.items() if name}
    return texts, "\n\n".join(page) + "\n"


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
