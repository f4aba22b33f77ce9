"""docs/your_data.md: each loop runs, and has at most 15 lines."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import cv2
import numpy as np
import pytest

from penstock import datasets
from penstock.cli.main import run as penstock_run
from penstock.testing import made
from penstock.tests.checkout import ROOT

from .readers.boxes.sets import put
from .readers.servers import ObjectServer

pytest.importorskip("torch")
soundfile = pytest.importorskip("soundfile")
av = pytest.importorskip("av")

PAGE = ROOT / "docs" / "your_data.md"
LOOPS = {
    title: code
    for title, text in re.findall(r"^## (.+?)$(.*?)(?=^## |\Z)", PAGE.read_text(), re.M | re.S)
    for code in re.findall(r"```python\n(.*?)```", text, re.S)
}
COUNT = 8


@pytest.fixture(autouse=True)
def current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / ".cache"))


def photos():
    for number in range(COUNT):
        folder = Path("photos/train", ["cat", "dog"][number % 2])
        folder.mkdir(parents=True, exist_ok=True)
        pixels = np.full((20, 30, 3), 20 * number, np.uint8)
        cv2.imwrite(str(folder / f"{number}.jpg"), pixels)


def converted(to):
    def make():
        photos()
        datasets.convert("photos/train", FOLDERS[to], to=to)

    return make


def listed():
    photos()
    names = sorted(str(path) for path in Path("photos/train").rglob("*.jpg"))
    lines = [f"{name.removeprefix('photos/')} {n % 2}\n" for n, name in enumerate(names)]
    Path("photos/train.txt").write_text("".join(lines))


def captioned():
    photos()
    samples = [
        datasets.Sample(
            path.stem, {"image": datasets.Encoded(path.read_bytes(), "jpg"), "text": path.stem}
        )
        for path in sorted(Path("photos/train").rglob("*.jpg"))
    ]
    made.write(Path("tars"), samples, "webdataset")


def coco():
    made.write(Path("coco"), made.detections(COUNT), "coco")


def yolo():
    files = {f"yolo/images/train/{n}.jpg": (20, 30) for n in range(COUNT)}
    files |= {f"yolo/labels/train/{n}.txt": "0 0.5 0.5 0.2 0.2\n" for n in range(COUNT)}
    files["yolo/images/val/0.jpg"] = (20, 30)
    files["yolo/data.yaml"] = "train: images/train\nval: images/val\nnames: [cat]\n"
    put(Path(), files)


def speech():
    lines = []
    Path("speech").mkdir()
    for number in range(COUNT):
        name = f"{number}.flac"
        sound = np.random.default_rng(number).normal(0, 0.1, 8000)
        soundfile.write(f"speech/{name}", sound, 16_000)
        lines.append(json.dumps({"audio_filepath": name, "duration": 0.5, "text": "hello"}))
    Path("speech/manifest.json").write_text("\n".join(lines))


def arrays():
    Path("arrays").mkdir()
    np.save("arrays/train.npy", np.zeros((COUNT, 3, 4), np.float32))


def videos():
    for folder in ("run", "walk"):
        Path("videos", folder).mkdir(parents=True)
        with av.open(f"videos/{folder}/1.mp4", "w") as container:
            stream = container.add_stream("mpeg4", rate=25)
            stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
            for number in range(16):
                pixels = np.full((48, 64, 3), 8 * number, np.uint8)
                container.mux(stream.encode(av.VideoFrame.from_ndarray(pixels, format="rgb24")))
            container.mux(stream.encode())


FOLDERS = {"parquet": "parquet", "tfrecord": "records", "lmdb": "lmdb"}
MAKERS = {
    "Class folders": photos,
    "A list of files": listed,
    "A bucket": photos,
    "Tars": captioned,
    "Parquet": converted("parquet"),
    "COCO": coco,
    "YOLO": yolo,
    "TFRecord": converted("tfrecord"),
    "LMDB": converted("lmdb"),
    "Speech": speech,
    "Arrays": arrays,
    "Videos": videos,
}


def test_every_loop_is_short_and_run():
    assert LOOPS.keys() == MAKERS.keys()
    for title, code in LOOPS.items():
        assert len([line for line in code.splitlines() if line]) <= 15, title


@pytest.mark.parametrize("title", LOOPS)
def test_the_loop_runs(title):
    MAKERS[title]()
    code = LOOPS[title]
    with ObjectServer() as server:
        if "s3://bucket" in code:
            for path in Path("photos/train").rglob("*.jpg"):
                server.objects[str(path.relative_to("photos"))] = path.read_bytes()
            code = code.replace("s3://bucket", server.url)
        names = {}
        exec(compile(code, str(PAGE), "exec"), names)
    assert len(next(iter(names["batch"].values()))) in (2, 4)


def test_inspect_prints_the_call(capsys):
    photos()
    assert penstock_run(["inspect", "photos/train"]) == 0
    assert f"read it by  fn.readers.file(file_root='{Path.cwd()}/photos/train')" in (
        io.StringIO(capsys.readouterr().out).read().replace("\n", "")
    )
