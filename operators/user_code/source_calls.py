"""Calls of an external source's function or iterable: their arguments, and what they return."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.order import philox
from ...engine.tensors.dtypes import BatchInfo, SampleInfo
from .user_data import own
from .user_source import GENERATOR, CallableSource, UserSource, make_source


class Moment(NamedTuple):
    """Where an external source stands.

    Attributes:
        epoch: number of epochs that have ended.
        iteration: number of the batch in its epoch.
        sample: number of the batch's first sample in its epoch.
    """

    epoch: int = 0
    iteration: int = 0
    sample: int = 0


class SourceCalls:
    """Asks a source for batches or samples.

    Args:
        source: function, iterable or generator function of the user.
        cycle: see `make_source`.
        called: the operator as users write it, for messages.
        batch_info: whether a function gets a `BatchInfo` rather than the batch's number.
        output_count: number of outputs; None if the source returns no tuples.

    Attributes:
        source: the source, behind the interface of all sources.
        key: of the random generators.
    """

    def __init__(
        self,
        source: object,
        cycle: object,
        *,
        called: str,
        batch_info: bool,
        output_count: int | None,
    ) -> None:
        self.source: UserSource = make_source(source, cycle)
        self.key = 0
        self._called = called
        self._batch_info = batch_info
        self._output_count = output_count

    def batch(self, moment: Moment) -> Sequence[Any]:
        """Return the data of each output for a whole batch; raise StopIteration at the end."""
        argument: tuple[object, ...] = ()
        if self.source.takes_argument:
            info = BatchInfo(moment.iteration, moment.epoch)
            argument = (info if self._batch_info else moment.iteration,)
        return self.by_output(
            self.source.next(*argument, **self._generator(moment, moment.iteration))
        )

    def sample(self, moment: Moment, i: int) -> Any:
        """Return sample `i` of a batch; with several outputs a tuple."""
        argument: tuple[object, ...] = ()
        if self.source.takes_argument:
            info = SampleInfo(moment.sample + i, i, moment.iteration, moment.epoch)
            argument = (info,)
        return self.source.next(*argument, **self._generator(moment, moment.sample + i))

    def samples(
        self, moment: Moment, number: int, batch_size: int, *, no_copy: bool
    ) -> tuple[list[Sequence[Any]], dict[int, BaseException]]:
        """Return the samples of a batch, and the errors of rows; a good sample replaces a bad one.

        A sample has a value for each output.

        Args:
            moment: where the source stands.
            number: number of the batch, for notes of errors.
            batch_size: number of samples.
            no_copy: whether the source promises not to use the memory of a sample for the next.

        Raises:
            Exception: all samples are bad, or the source cannot go on after an error.
        """
        samples: dict[int, Sequence[Any]] = {}
        errors: dict[int, BaseException] = {}
        for i in range(batch_size):
            try:
                returned = self.sample(moment, i)
            except StopIteration:
                raise
            except Exception as error:
                error.add_note(note_of(i, number))
                survives = isinstance(self.source, CallableSource)
                if not survives or (not samples and i == batch_size - 1):
                    raise
                errors[i] = error
                continue
            sample = self.by_output(returned)
            samples[i] = sample if no_copy else [own(value) for value in sample]
        if errors:
            samples |= dict.fromkeys(errors, next(iter(samples.values())))
        return [samples[i] for i in range(batch_size)], errors

    def _generator(self, moment: Moment, number: int) -> dict[str, np.random.Generator]:
        """Return the argument for a random generator: that of a sample or batch of the epoch."""
        if not self.source.takes_generator:
            return {}
        return {GENERATOR: philox.generator(self.key, moment.epoch, number)}

    def by_output(self, data: object) -> Sequence[object]:
        """Return what a source returned, or a sample of it, as one value an output."""
        return by_output(data, self._output_count, self._called)


class WrongSource(ArgumentError, TypeError):  # noqa: N818
    """A source is not of a type that Python workers can use."""


def note_of(row: int, number: int) -> str:
    """Return the note of a bad sample's error."""
    return f"sample {row} of batch {number}, of an external source"


def by_output(data: Any, count: int | None, called: str) -> Sequence[object]:
    """Return what a source returned, or a sample of it, as one value an output.

    Args:
        data: of the source.
        count: number of outputs; None if the source returns no tuples.
        called: the operator as users write it, for messages.

    Raises:
        ArgumentError: the source returned no tuple, or one of another length.
    """
    if count is None:
        return (data,)
    is_many = isinstance(data, list | tuple) or (isinstance(data, np.ndarray) and data.ndim)
    if is_many and len(data) == count:
        whole: Sequence[Any] = data
        return whole
    given = len(data) if is_many else f"a {type(data).__name__}"
    remedy = ""
    if isinstance(data, Mapping):
        items = ", ".join(f"sample[{name!r}]" for name in list(data)[:count])
        remedy = f"; return a tuple of its values, such as ({items})"
    raise ArgumentError(
        f"{called}: with num_outputs={count} the source must return a tuple of {count}, but "
        f"returned {given}{remedy}"
    )
