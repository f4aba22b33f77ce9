"""The members of a pipeline that store its definition, and make a pipeline of what was stored."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, Never, Self

from ..errors import ArgumentError, MissingDependencyError, SerializationError, install_hint
from ..graph.nodes import defining
from ..graph.portable import NotPortable, decode, encode
from ..run.checkpointing import write_file
from ..run.config import PipelineConfig
from ..run.pickling import by_value
from ..run.random_keys import call_numbers
from .graph_definition import Definition
from .outputs import Names, as_output_names
from .staged_pipeline import StagedPipeline

_NOT_STORED = {
    "checkpoint",
    "debug",
    "quarantine_log",
    "py_callback_pickler",
    "enable_conditionals",
}
"""Arguments that belong to one run of the program, or have no effect on a graph that is made."""


class SerializedPipeline(StagedPipeline):
    """The part of a `Pipeline` that can be stored in a file.

    A stored pipeline is its definition: arguments, operators and outputs. Where the run stands is
    in a checkpoint. The format is described in `serialized_file`, `serialized_graph` and
    `graph/portable.py`.
    """

    def serialize(
        self,
        define_graph: Callable[..., object] | None = None,
        filename: str | os.PathLike[str] | None = None,
        *,
        allow_pickle: bool = False,
    ) -> bytes:
        """Return the pipeline's definition as bytes, and write the same to `filename` if given.

        The seed in use is stored, so each pipeline that is made of the bytes returns the same
        batches. External sources are stored without their functions: data are fed to them by
        `feed_input`. Paths, and `storage_options` with any passwords in them, are stored as they
        were given.

        Args:
            define_graph: a function that defines the graph, if nothing has defined the graph yet.
            filename: of a file, which is never seen half written.
            allow_pickle: store functions and other objects of the program, too, by value. Needs
                the library cloudpickle.

        Raises:
            SerializationError: operators cannot be stored. The message says for each one why.
            ArgumentError: `define_graph` is given, but the pipeline has a graph.
        """
        if define_graph is not None:
            if not callable(define_graph):
                raise TypeError(
                    f"define_graph must be a function, but is {define_graph!r}; the name of a file "
                    "is given as serialize(filename=...)"
                )
            if not self._definition.is_open:
                raise ArgumentError("define_graph is given, but the pipeline has a graph already")
            self.define(define_graph)
        from .serialized_file import dump  # it needs hashlib, and most programs store nothing
        from .serialized_graph import graph_as_json

        definition = self._as_defined()
        plan = definition.plan()
        calls = call_numbers(definition.graph.nodes)
        pickled = _pickler() if allow_pickle else None
        document = graph_as_json(plan.nodes, plan.outputs, calls, pickled)
        options = _stored_options(definition)
        data = dump({"options": options, "output_names": definition.names, **document})
        if filename is not None:
            write_file(filename, data)
        return data

    def __reduce_ex__(self, protocol: object) -> Never:
        raise TypeError(
            "a pipeline has threads and open files, and cannot be copied or pickled. Call its "
            "definition again; or pass on the bytes of serialize(), of which deserialize() makes "
            "another pipeline"
        )

    @classmethod
    def deserialize(
        cls,
        serialized_pipeline: bytes | str | None = None,
        filename: str | os.PathLike[str] | None = None,
        *,
        allow_pickle: bool = False,
        **kwargs: object,
    ) -> Self:
        """Return a pipeline, already built, of what `serialize` has returned or written.

        A stored pipeline names the files that its readers open. With `allow_pickle=True` it may run
        any code: load only what you trust.

        Args:
            serialized_pipeline: the bytes; or `filename`: the file with the bytes.
            filename: see above.
            allow_pickle: load the functions and objects that `serialize(allow_pickle=True)` stored.
            kwargs: arguments of the pipeline, which override the stored ones.

        Raises:
            SerializationError: the bytes are no stored pipeline, of another version, or damaged; or
                they hold pickles, and `allow_pickle` is False.
            ArgumentError: not exactly one of bytes and file is given; or an argument is wrong.
        """
        if (serialized_pipeline is None) == (filename is None):
            raise ArgumentError(
                "serialized_pipeline and filename arguments are mutually exclusive. Precisely one "
                "of them should be defined."
            )
        data = serialized_pipeline if filename is None else Path(filename).read_bytes()
        document = _document(data)
        pipeline = cls.__new__(cls)
        pipeline._begin({**_options_of(document), **kwargs})
        _fill(pipeline._definition, document, allow_pickle)
        pipeline.build()
        return pipeline

    def deserialize_and_build(
        self, serialized_pipeline: bytes | str, *, allow_pickle: bool = False
    ) -> None:
        """Give this pipeline, which has no graph yet, a stored graph, and build the pipeline.

        The arguments of this pipeline count, and not the stored ones, but for the seed: if this
        pipeline was made without a seed, it takes the stored one.

        Raises:
            SerializationError: see `deserialize`.
            ArgumentError: the pipeline has a graph already.
        """
        definition = self._definition
        if not definition.is_open or definition.graph.nodes:
            raise ArgumentError("the pipeline has a graph already; make another pipeline")
        document = _document(serialized_pipeline)
        seed = _options_of(document).get("seed")
        _fill(definition, document, allow_pickle)
        is_drawn = definition.config.seed in (None, -1) and self._progress.restored is None
        if is_drawn and type(seed) is int:
            definition.reseed(seed)
        self.build()


def _stored_options(definition: Definition) -> dict[str, Any]:
    """Return the arguments that differ from their defaults, and the seed, as JSON."""
    options = {"seed": definition.seed}
    for field in fields(PipelineConfig):
        value = getattr(definition.config, field.name)
        if value != field.default and field.name not in _NOT_STORED | {"seed"}:
            try:
                options[field.name] = encode(value)
            except NotPortable as problem:
                raise SerializationError(
                    f"the pipeline's argument {field.name} is {problem}"
                ) from problem
    return options


def _fill(definition: Definition, document: dict[str, object], allow_pickle: bool) -> None:
    """Let a definition have the graph of a stored pipeline."""
    from .serialized_graph import graph_from_json

    graph = definition.graph
    with defining(graph):
        outputs = graph_from_json(graph, document, _unpickled if allow_pickle else None)
    definition.replace_outputs(outputs, _names_of(document, len(outputs)))


def _document(data: object) -> dict[str, object]:
    from .serialized_file import load

    return load(data)


def _names_of(document: dict[str, object], count: int) -> Names:
    """Return the names of the outputs; older releases have stored none."""
    stored = document.get("output_names")
    if stored is None:
        return None
    if not isinstance(stored, list) or len(stored) != count:
        raise SerializationError(
            f"the stored pipeline has {count} outputs, but their names are {stored!r:.80}"
        )
    if len({str(name) for name in stored}) != count:
        raise SerializationError(f"the stored pipeline has outputs of one name: {stored!r:.80}")
    try:
        return as_output_names(stored)
    except ArgumentError as problem:
        raise SerializationError(f"the stored pipeline: {problem}") from None


def _options_of(document: dict[str, object]) -> dict[str, object]:
    stored = document.get("options")
    if not isinstance(stored, dict):
        raise SerializationError("the stored pipeline has no arguments")
    known = {field.name for field in fields(PipelineConfig)} - _NOT_STORED
    if unknown := sorted(set(stored) - known):
        raise SerializationError(
            f"the stored pipeline has the argument {unknown[0]!r}, which this release does not know"
        )
    try:
        return {name: decode(value) for name, value in stored.items()}
    except NotPortable as problem:
        raise SerializationError(f"an argument of the stored pipeline is {problem}") from None


def _pickler() -> Callable[[object], bytes]:
    try:
        import cloudpickle
    except ImportError as error:
        raise MissingDependencyError(
            f"serialize(allow_pickle=True) needs cloudpickle ({error}): {install_hint('pickle')}",
            name="cloudpickle",
        ) from error

    def pickled(value: object) -> bytes:
        with by_value(cloudpickle, value):
            data: bytes = cloudpickle.dumps(value)
            return data

    return pickled


def _unpickled(data: bytes) -> object:
    try:
        return pickle.loads(data)
    except Exception as error:
        raise NotPortable(
            f"a pickle that cannot be loaded: {type(error).__name__}: {error}"
        ) from error
