"""Models in repositories of Triton: their files, and what is stored."""

from __future__ import annotations

import sys
import threading
from types import ModuleType

import pytest

from penstock import Pipeline
from penstock.engine.errors import SerializationError
from penstock.serving.model import Model
from penstock.serving.repository import export_model

from .servers import by_function, doubled


@pytest.fixture
def models():
    """Makes the model of a pipeline; models are closed after the test."""
    made = []

    def make(pipeline):
        made.append(Model("model", pipeline))
        return made[-1]

    yield make
    for model in made:
        model.close()


def test_the_files_of_a_model(models, tmp_path):
    pipeline = doubled(num_threads=3, seed=5)
    folder = export_model(models(pipeline), pipeline, tmp_path / "a" / "b", paths=["/of/mine"])
    assert folder == tmp_path / "a" / "b" / "model"
    code = (folder / "1" / "model.py").read_text()
    assert "sys.path[:0] = ['/of/mine']" in code
    assert "allow_pickle = False" in code
    with Pipeline.deserialize(filename=folder / "1" / "pipeline.penstock") as stored:
        assert (stored.batch_size, stored.num_threads, stored.seed) == (8, 3, 5)
        Model("again", stored)  # its errors are those of single samples, as here


def test_the_code_of_a_module_goes_along(models, tmp_path, monkeypatch):
    pytest.importorskip("cloudpickle", reason="functions are stored by cloudpickle")
    module = ModuleType("a_module_of_mine")
    monkeypatch.setitem(sys.modules, "a_module_of_mine", module)
    exec("def doubled(batch):\n    return [2 * each for each in list(batch)]", vars(module))
    pipeline = by_function(module.doubled)
    folder = export_model(models(pipeline), pipeline, tmp_path, module=module)
    monkeypatch.delitem(sys.modules, "a_module_of_mine")
    assert "allow_pickle = True" in (folder / "1" / "model.py").read_text()
    file = folder / "1" / "pipeline.penstock"
    with Pipeline.deserialize(filename=file, allow_pickle=True) as stored:
        assert stored.run(numbers=[3.0])[0].as_array().tolist() == [6]


def test_a_pipeline_that_cannot_be_stored_writes_nothing(models, tmp_path):
    lock = threading.Lock()

    def locked(batch):
        with lock:
            return batch

    pipeline = by_function(locked)
    with pytest.raises(SerializationError, match="lock"):
        export_model(models(pipeline), pipeline, tmp_path / "models")
    assert not (tmp_path / "models").exists()


def test_other_models_stay_as_they_are(models, tmp_path):
    pipeline = doubled()
    model = models(pipeline)
    (tmp_path / "model").mkdir()
    with pytest.raises(FileExistsError, match="a model that Penstock has not written"):
        export_model(model, pipeline, tmp_path)
    assert list((tmp_path / "model").iterdir()) == []
