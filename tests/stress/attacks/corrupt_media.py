"""Damaged audio, video, COCO, NeMo and Parquet files.

Refusing a file is always right. A signal must be that of the undamaged file or of libsndfile, boxes
and texts must be ones that the damaged JSON holds, and clips must have the frames asked for.
"""

from __future__ import annotations

import io
import json
import warnings
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import soundfile
from numpy.typing import NDArray

from penstock import Pipeline, datasets, fn
from penstock.engine.errors import PenstockError

from ...sounds import encoded, speech_like
from ...videos import FORMS, video_bytes
from .damage import damaged

SOUNDS = (
    ("WAV", "PCM_16"),
    ("WAV", "FLOAT"),
    ("AIFF", "PCM_24"),
    ("FLAC", "PCM_16"),
    ("OGG", "VORBIS"),
    ("MP3", "MPEG_LAYER_III"),
)
VIDEOS = tuple(form for form in FORMS if not form.startswith(("hevc", "vp9")))  # slow encoders


def case(seed: int) -> None:
    """Damage files of one sort, and read them."""
    random = Random(seed)
    attack = random.choice((sounds, sounds, videos, boxes, texts, tables))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        attack(random)


def sounds(random: Random) -> None:
    """Decode damaged audio files."""
    rate = random.choice((8000, 16000, 44100))
    intact = encoded(speech_like(random.uniform(0.05, 0.5), rate, 1), rate, *random.choice(SOUNDS))
    for _ in range(8):
        content = damaged(intact, random) or b"\0"
        data = np.frombuffer(content, np.uint8)
        judges = [opened_by_soundfile(intact), opened_by_soundfile(content)]
        for (found,) in batches(partial(decoded, data)):
            assert any(agree(found, judge) for judge in judges), "libsndfile reads another signal"


def decoded(data: NDArray[np.uint8]) -> Any:
    """Return the node of the signal in an audio file."""
    source = fn.external_source(source=lambda: [data])
    return fn.decoders.audio(source)[0]


def opened_by_soundfile(content: bytes) -> NDArray[np.float32] | None:
    """Return the signal (samples, channels); None if libsndfile refuses the file."""
    try:
        signal = soundfile.read(io.BytesIO(content), dtype="float32", always_2d=True)[0]
    except Exception:
        return None
    return np.asarray(signal)


def agree(found: NDArray[Any], judge: NDArray[np.float32] | None) -> bool:
    """Return whether two signals are the same, up to rounding."""
    if judge is None or found.size != judge.size:
        return False
    return np.allclose(found, judge.reshape(found.shape), rtol=0, atol=1e-4, equal_nan=True)


def videos(random: Random) -> None:
    """Read clips of a damaged video."""
    form = random.choice(VIDEOS)
    intact = video_bytes(form, count=random.randint(3, 20), group=5)
    for number in range(3):
        path = f"{number}{Path(form).suffix}"
        Path(path).write_bytes(damaged(intact, random) or b"\0")
        clips = partial(fn.readers.video, filenames=[path], sequence_length=3)
        for (clip,) in batches(clips):
            assert clip.shape[0] == 3
            assert clip.shape[3] == 3


def boxes(random: Random) -> None:
    """Read damaged annotations of COCO."""
    images = [{"id": i, "file_name": f"{i}.jpg", "height": 20, "width": 30} for i in range(4)]
    for image in images:
        Path(str(image["file_name"])).write_bytes(b"x")
    annotations = [
        {
            "id": number,
            "image_id": random.randrange(4),
            "category_id": 1,
            "bbox": [random.randint(0, 9) for _ in range(4)],
            "area": 4,
            "iscrowd": 0,
            "segmentation": [[1, 1, 5, 1, 5, 5]],
        }
        for number in range(random.randint(1, 9))
    ]
    whole = {"images": images, "annotations": annotations, "categories": [{"id": 1, "name": "a"}]}
    content = damaged(json.dumps(whole).encode(), random)
    Path("instances.json").write_bytes(content)
    known = {tuple(member) for member in members(content, "bbox")}
    options = {"file_root": ".", "annotations_file": "instances.json"}
    for (found,) in batches(lambda: fn.readers.coco(**options)[1]):
        for box in found.tolist():
            assert tuple(box) in known, f"{box} stands nowhere in the file"


def members(content: bytes, name: str) -> Iterator[Any]:
    """Yield the values of all members of this name, wherever they are in a JSON text."""
    found: list[Any] = []

    def look(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found.extend(value for key, value in pairs if key == name)
        return dict(pairs)

    with suppress(ValueError):
        json.loads(content, object_pairs_hook=look)
    yield from found


def texts(random: Random) -> None:
    """Read a damaged manifest of NeMo."""
    Path("a.wav").write_bytes(encoded(speech_like(0.2, 8000, 1), 8000, "WAV"))
    words = [random.choice(("one", "two words", "fünf")) for _ in range(random.randint(1, 9))]
    entries = [{"audio_filepath": "a.wav", "duration": 0.1, "text": word} for word in words]
    content = damaged("".join(json.dumps(entry) + "\n" for entry in entries).encode(), random)
    Path("manifest.json").write_bytes(content or b"\n")
    stored = [text for line in content.split(b"\n") for text in members(line, "text")]
    known = {text.encode() for text in stored if isinstance(text, str)} | {b""}
    options: dict[str, Any] = {"manifest_filepaths": ["manifest.json"], "read_text": True}
    for (found,) in batches(lambda: fn.readers.nemo_asr(**options)[-1]):
        text = found.tobytes().rstrip(b"\0")
        assert text in known, f"{text!r} stands nowhere in the manifest"


def tables(random: Random) -> None:
    """Read a damaged Parquet file."""
    import pyarrow
    import pyarrow.parquet

    count = random.randint(1, 40)
    columns = {"label": list(range(count)), "text": [str(i) * 9 for i in range(count)]}
    pyarrow.parquet.write_table(pyarrow.table(columns), "whole.parquet", row_group_size=10)
    content = damaged(Path("whole.parquet").read_bytes(), random)
    Path("file.parquet").write_bytes(content or b"\0")
    with suppress(PenstockError, OSError), datasets.open_dataset("file.parquet") as dataset:
        assert len(dataset.read(range(len(dataset)))) == len(dataset)


def batches(make: Any) -> Iterator[list[NDArray[Any]]]:
    """Yield the samples of some batches; none behind the first that Penstock refuses."""
    with suppress(PenstockError, OSError), Pipeline(1, num_threads=1, seed=1) as pipeline:
        pipeline.set_outputs(make())
        for _ in range(6):
            (output,) = pipeline.run()
            yield [np.array(output.at(i)) for i in range(len(output))]
