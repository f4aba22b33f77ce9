"""A pipeline as a model in a repository of NVIDIA Triton, for its Python backend.

REPOSITORY/NAME/config.pbtxt           inputs, outputs, batches and instances
REPOSITORY/NAME/1/model.py             what Triton runs; `triton_model` does the work
REPOSITORY/NAME/1/pipeline.penstock    the pipeline, stored: see docs/stored_pipelines.md
"""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from ..engine.errors import SerializationError
from ..engine.pipeline.pipeline import Pipeline
from ..engine.run.checkpointing import write_file
from ..engine.run.pickling import module_by_value
from .model import Model
from .model_config import as_pbtxt, model_config

_MARK = "# Written by `penstock serve export`.\n"
_STORED = "pipeline.penstock"
_MODEL = '''\
"""A pipeline of Penstock for Triton's Python backend. Written by `penstock serve export`."""

{paths}from pathlib import Path

import triton_python_backend_utils

from penstock.serving.triton_model import TritonModel


class TritonPythonModel(TritonModel):
    utilities = triton_python_backend_utils
    stored_pipeline = Path(__file__).with_name("{stored}")
    allow_pickle = {allow_pickle}
'''


def export_model(
    model: Model,
    pipeline: Pipeline,
    repository: Path,
    *,
    module: ModuleType | None = None,
    max_delay: float = 0.0,
    instances: int = 1,
    paths: Sequence[str] = (),
) -> Path:
    """Write a model into a repository, in place of an earlier export of this name.

    Args:
        model: the model.
        pipeline: of the model. If it has functions of the program, they are stored by value, which
            needs the library cloudpickle.
        repository: a folder, which is made if it is not there.
        module: whose functions are stored with their code, because the server cannot import it.
        max_delay: seconds for which a batch that is not full waits for more requests.
        instances: number of pipelines that compute at a time.
        paths: folders of Python modules, for a server on this machine. Triton's Python heeds no
            PYTHONPATH.

    Returns:
        the folder of the model.

    Raises:
        SerializationError: the pipeline cannot be stored.
        FileExistsError: there is a model of this name that was not exported by Penstock.
    """
    folder = repository / model.name
    config = folder / "config.pbtxt"
    if folder.exists() and not (config.is_file() and _is_ours(config)):
        text = "there is a model that Penstock has not written"
        raise FileExistsError(errno.EEXIST, text, os.fspath(folder))
    stored, allow_pickle = _stored(pipeline, module)
    version = folder / "1"
    version.mkdir(parents=True, exist_ok=True)
    write_file(version / _STORED, stored)
    extended = f"import sys\n\nsys.path[:0] = {list(paths)!r}\n" if paths else ""
    code = _MODEL.format(paths=extended, stored=_STORED, allow_pickle=allow_pickle)
    write_file(version / "model.py", code.encode())
    text = _MARK + as_pbtxt(model_config(model, max_delay, instances))
    write_file(config, text.encode())
    return folder


def _is_ours(config: Path) -> bool:
    with config.open("rb") as file:
        return file.read(len(_MARK)) == _MARK.encode()


def _stored(pipeline: Pipeline, module: ModuleType | None) -> tuple[bytes, bool]:
    """Return the stored pipeline, and whether it has pickles."""
    try:
        return pipeline.serialize(), False
    except SerializationError:
        cloudpickle: Any = None
        with suppress(ImportError):  # `serialize` says what to install
            cloudpickle = import_module("cloudpickle")
        # The server cannot import the module of the user's functions.
        with module_by_value(cloudpickle, module if cloudpickle else None):
            return pipeline.serialize(allow_pickle=True), True
