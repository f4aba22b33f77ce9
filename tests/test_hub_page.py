"""docs/hub.md: both programs run from a Hub on loopback."""

import io
import re

import cv2
import numpy as np
import pytest

from penstock.tests.checkout import ROOT

from .hub_server import HubServer, Repo, lead_client

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
pytest.importorskip("huggingface_hub")

TEXT = (ROOT / "docs" / "hub.md").read_text("utf-8")
PROGRAMS = re.findall(r"```python\n(.*?)```", TEXT, re.S)
CARD = b"""---
configs:
- config_name: charts
  data_files: charts/*.parquet
- config_name: maps
  data_files: maps/*.parquet
---
"""


@pytest.fixture
def run(monkeypatch):
    """Return a function that runs a program, and returns what it prints."""
    with HubServer() as server:
        lead_client(monkeypatch, server)
        columns = {"image": [image(i) for i in range(8)], "caption": ["a", None] * 4}
        server.repos["user/captions"] = Repo()
        server.repos["user/captions"].push(
            {"train-00000-of-00001.parquet": table(columns), "test-00000-of-00001.parquet": b""}
        )
        turns = [{"user": "What is it?", "assistant": "A chart."}]
        columns = {"images": [[image(1), image(2)], []], "texts": [turns, turns * 2]}
        server.repos["user/talks"] = Repo()
        server.repos["user/talks"].push({"README.md": CARD, "charts/0.parquet": table(columns)})

        def run(program):
            printed = []
            exec(program, {"print": lambda *given: printed.append(given)})
            return printed

        yield run


def image(number):
    pixels = np.full((30 + number, 40, 3), 20 * number, np.uint8)
    return {"bytes": cv2.imencode(".jpg", pixels)[1].tobytes(), "path": f"{number}.jpg"}


def table(columns):
    stream = io.BytesIO()
    pq.write_table(pa.table(columns), stream)
    return stream.getvalue()


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_are_short(program):
    assert len([line for line in program.splitlines() if line.strip()]) <= 15


def test_images_and_captions(run):
    batches = run(PROGRAMS[0])
    assert [shape for shape, _ in batches] == [(4, 224, 224, 3)] * 2
    assert sorted(text for _, texts in batches for text in texts) == [""] * 4 + ["a"] * 4


def test_conversations(run):
    samples = run(PROGRAMS[1])
    assert {len(talk): shape for shape, talk in samples} == {
        1: (2, 224, 224, 3),
        2: (0, 224, 224, 3),
    }
    assert samples[0][1][0] == {"user": "What is it?", "assistant": "A chart."}
