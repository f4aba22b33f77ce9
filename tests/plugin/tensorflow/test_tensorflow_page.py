"""docs/tensorflow.md: its programs run, and the loss falls."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from penstock.tests.checkout import ROOT

tf = pytest.importorskip("tensorflow", reason="TensorFlow is not installed")
keras = pytest.importorskip("keras", reason="Keras is not installed")

PAGE = ROOT / "docs" / "tensorflow.md"
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)


@pytest.mark.skipif(keras.backend.backend() != "tensorflow", reason="of another backend")
@pytest.mark.filterwarnings("ignore:`shuffle=True` was passed, but will be ignored")
def test_the_programs_run(photo_tree, tmp_path, monkeypatch):
    (tmp_path / "photos").symlink_to(photo_tree.root)
    with tf.io.TFRecordWriter(str(tmp_path / "photos.tfrecord")) as writer:
        for path in photo_tree.files[:16]:
            writer.write(Path(path).read_bytes())
    monkeypatch.chdir(tmp_path)
    keras.utils.set_random_seed(1)
    names = {"__name__": "an_example"}
    for program in PROGRAMS:
        assert len(program.splitlines()) <= 40
        exec(compile(program, str(PAGE), "exec"), names)
    assert len(names["losses"]) == 3
    assert names["losses"][2] < names["losses"][0]
    assert [batch.shape for (batch,) in names["images"]] == [(16, 32, 32, 3)]
    images, _ = next(iter(names["shards"]))
    replicas = names["strategy"].experimental_local_results(images)
    assert [replica.shape for replica in replicas] == [(16, 32, 32, 3)] * 2
