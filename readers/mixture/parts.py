"""The base of readers whose order mixes parts: sources, or classes of one source."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from ...engine.arrays import Int64s
from ...engine.errors import SourceError
from ...engine.graph.context import BatchContext
from ...engine.graph.inputs import Damage
from ...engine.graph.operator import Array
from ...engine.graph.params import ANY, OPTIONS, STRS, param
from ...engine.order.selection import Selection
from ...engine.order.subset import Subset
from ...engine.suggestions import not_among
from ...engine.tensors import TensorList
from ..array_files import ArrayFileReader, of_one_form
from ..reader import Reader
from ..record_reader import RecordReader
from ..source import Column
from .members import MixedReader, check_forms, chosen
from .source import MixedSource

if TYPE_CHECKING:
    from fractions import Fraction

    from ...engine.order.cursor import Cursor
    from ...engine.order.shares import Shares


class MixedPart(NamedTuple):
    """Samples of which an order has a share.

    Attributes:
        name: unique in its order.
        indices: the samples, by their indices in the source.
        weight: samples in an epoch of the source that the part belongs to.
    """

    name: str
    indices: Int64s | range
    weight: Fraction


class PartsReader(RecordReader):
    """Base of the readers that mix parts. A class says what the parts are, and their shares."""

    epoch_size = param(
        ANY,
        "longest",
        "With `weights` or `per_batch`: samples of an epoch. 'longest' has each source whole at "
        "least once, 'shortest' has no sample twice; or a number.",
    )
    restart = param(
        STRS, (), "Sources that begin anew, if a checkpoint has others of their names or sizes."
    )
    max_bad = param(
        OPTIONS,
        {},
        'With the pipeline\'s `on_error`, "skip" or "replace": the share of a source\'s samples '
        "that may be bad, by the source's name: `{'web': 0.01}`. One bad sample is always borne, "
        "and more end the run.",
    )

    refuses: ClassVar[Mapping[str, str]] = {
        "indices": "give it to the readers that are its sources",
        "batch_cost": "shares count samples in batches of a fixed number of them; give batch_cost "
        "to one reader of all data, or mix rows of equal cost: fn.readers.pack of each source",
        "stick_to_shard": "all ranks share one order of all samples; leave it out",
        "shuffle_after_epoch": "give random_shuffle, by which each round of a source has an order "
        "of its own",
        "storage_options": "give it to the readers that are its sources; to those of a file, in "
        "source_arguments",
    }

    readers: dict[str, Reader]
    parts: list[MixedPart]
    source: MixedSource

    def prepare(self) -> None:
        from ...engine.order import shares  # mixtures alone need it

        super().prepare()
        shares.exact_numbers("max_bad", self.max_bad)
        self.readers = {
            name: member.reader(name, self) for name, member in self.members_by_name().items()
        }
        self._bad: Counter[int] = Counter()
        self._now: Shares | None = None  # what `set_weights` has set
        self._read = 0  # number of the batch after the last that was read

    @abstractmethod
    def members_by_name(self) -> Mapping[str, MixedReader]:
        """Return the calls of the readers."""

    @abstractmethod
    def shares_by(self) -> str:
        """Return what gives samples other turns than one an epoch, for messages; "" if nothing."""

    @abstractmethod
    def find_parts(self) -> list[MixedPart]:
        """Return the parts; the sources are open."""

    @abstractmethod
    def asked_shares(self, batch_size: int) -> Shares:
        """Return the shares of the parts that the arguments ask for."""

    @abstractmethod
    def shares_of(self, weights: Mapping[str, float]) -> Shares:
        """Return the shares of the parts by new weights."""

    def num_outputs(self) -> int:
        name, member = next(iter(self.members_by_name().items()))
        return member.count(self.readers[name])

    def added_outputs(self) -> tuple[str, ...]:
        return ("source",)

    def added(self, selection: Selection) -> tuple[Array, ...]:
        assert selection.source is not None
        return (selection.source.astype(np.int32),)

    def placeholder(self) -> tuple[Array, ...]:
        name, member = next(iter(self.members_by_name().items()))
        return chosen(member, self.readers[name].placeholder())

    def open_source(self) -> MixedSource:
        members = self.members_by_name()
        for reader in self.readers.values():
            reader.placement = self.placement
            reader.open_data()
            if self.random_shuffle:
                reader.note_shuffle(self.called)
        check_forms(self.called, members, self.readers)
        self._classes = self._agreed_classes()
        self._forms_vary = any(isinstance(each, ArrayFileReader) for each in self.plain_readers())
        return MixedSource(
            [reader.source for reader in self.readers.values()],
            [members[name].columns for name in self.readers],
        )

    def _agreed_classes(self) -> dict[int, tuple[str, tuple[str, ...]]]:
        """Return the name of each output that numbers classes, and the names of its classes.

        A number that stands for other classes in other sources is a warning, and no error: by the
        source's number a program may tell them apart.
        """
        known: dict[int, list[tuple[str, str, tuple[str, ...]]]] = {}
        for source, reader in self.readers.items():
            names = reader.class_names()
            columns = self.members_by_name()[source].columns or tuple(range(reader.num_outputs()))
            for name, output in reader.class_outputs().items():
                if name in names and output in columns:
                    known.setdefault(columns.index(output), []).append((source, name, names[name]))
        agreed = {}
        for output, sources in known.items():
            names_of_all = [names for _, _, names in sources]
            # A source may lack the last classes, and "" is a class without samples.
            merged = tuple(next(filter(None, at), "") for at in zip_longest(*names_of_all))
            differing = [
                (number, source, name)
                for source, _, names in sources
                for number, name in enumerate(names)
                if name not in ("", merged[number])
            ]
            if differing:
                number, source, name = differing[0]
                usual = merged[number]
                other = next(s for s, _, names in sources if names[number : number + 1] == (usual,))
                warnings.warn(
                    f"{self.called}: {number} in output {output} is {usual!r} in the source "
                    f"{other!r}, and {name!r} in {source!r}. Number classes alike, as class_names "
                    "of fn.readers.file does; or tell labels apart by the last output, the number "
                    "of the source",
                    RuntimeWarning,
                    stacklevel=2,
                )
            elif len(sources) == len(self.readers):
                agreed[output] = sources[0][1], merged
        return agreed

    def class_names(self) -> dict[str, tuple[str, ...]]:
        return dict(self._classes.values())

    def class_outputs(self) -> dict[str, int]:
        return {name: output for output, (name, _) in self._classes.items()}

    def plain_readers(self) -> list[Reader]:
        """Return the readers that mix nothing themselves."""
        plain: list[Reader] = []
        for reader in self.readers.values():
            plain += reader.plain_readers() if isinstance(reader, PartsReader) else [reader]
        return plain

    def find_subset(self) -> Subset | None:
        self.parts = self.find_parts()
        for argument in ("restart", "max_bad"):
            for name in getattr(self, argument):
                if name not in (names := [part.name for part in self.parts]):
                    self.refuse(f"{argument}: there is no source {not_among(name, names)}")
        indices = [part.indices for part in self.parts]
        ends = np.cumsum([*map(len, indices)]).tolist()
        if any(
            not isinstance(own, range) or own != range(end - len(own), end)
            for own, end in zip(indices, ends, strict=True)
        ):
            return Subset(np.concatenate([*map(np.asarray, indices)]), len(self.source))
        return None

    def samples_of_epoch(self) -> int:
        return sum(len(part.indices) for part in self.parts)

    def _make_sampler(self, batch_size: int, state: Any) -> Cursor:
        from ...engine.order.mixture_state import MixtureState  # mixtures alone need it

        return self._cursor(batch_size, None if state is None else MixtureState.from_json(state))

    def _cursor(self, batch_size: int, state: Any, now: Shares | None = None) -> Cursor:
        from ...engine.order.cursor import Cursor
        from ...engine.order.mixture import Mixture

        asked = self.asked_shares(batch_size)
        plan = Mixture(
            {part.name: len(part.indices) for part in self.parts},
            now or asked,
            asked=asked,
            seed=self.order_seed(),
            shuffle=self.random_shuffle,
            blocks=self._blocks,
            indices=self.subset,
            state=state,
            restart=frozenset(self.restart) if now is None else frozenset(),
        )
        return Cursor(
            plan,
            batch_size,
            shard_id=self.shard_id,
            num_shards=self.num_shards,
            pad_last_batch=self.pad_last_batch,
        )

    def check_weights(self, weights: Mapping[str, float]) -> None:
        self.shares_of(weights)

    def set_weights(self, number: int, weights: Mapping[str, float]) -> None:
        """Go on with batch `number` in new shares: see `Pipeline.set_weights`."""
        now = self.shares_of(weights)
        state = replace(self.sampler.state_after(number - self._first), asked="")
        self.go_on(number, self._cursor(self._batch_size, state, now))

    def order_facts(self) -> dict[str, Any]:
        from ...engine.order.mixture_state import digest_of

        shares = self.asked_shares(self._batch_size).to_json()
        names = [part.name for part in self.parts]
        return {**super().order_facts(), "digest of sources and shares": digest_of([names, shares])}

    def grouped(self) -> bool:
        return super().grouped() and not self._forms_vary

    def reads_urls(self) -> bool:
        return any(reader.reads_urls() for reader in self.readers.values())

    def wants_shared_memory(self, *, uses_gpu: bool) -> bool:
        return self._may_use_processes() and all(
            isinstance(each, RecordReader) and each.wants_shared_memory(uses_gpu=uses_gpu)
            for each in self.readers.values()
        )

    def batch(self, batch: BatchContext) -> tuple[Column | TensorList, ...]:
        selection = batch.selections[self.placement.ordinal]
        assert selection.source is not None
        self._check_bad(batch.number)
        columns = super().batch(batch)
        if self._forms_vary:
            columns = of_one_form(self, batch, columns)
        self._read = max(self._read, batch.number + batch.count)
        return columns

    def note_bad(self, selection: Selection, row: int) -> None:
        assert selection.source is not None
        self._bad[int(selection.source[row])] += 1

    def _check_bad(self, number: int) -> None:
        """Raise SourceError if more samples of a source are bad than it may have."""
        if not self._bad or not self.max_bad:
            return
        entries = self._entries(number)
        for i, part in enumerate(self.parts):
            most = self.max_bad.get(part.name)
            if most is not None and self._bad[i] > max(1, most * entries[i]):
                raise SourceError(
                    f"{self._bad[i]} of {entries[i]} samples of the source {part.name!r} were bad, "
                    f"which is more than max_bad={most}: repair the source, or give it weight 0"
                )

    def _entries(self, number: int) -> tuple[int, ...]:
        """Return how many samples each source has given before a batch."""
        if number < self._first:
            return (0,) * len(self.parts)
        entries: tuple[int, ...] = self.sampler.state_after(number - self._first).consumed
        return entries

    def meta(self) -> dict[str, Any]:
        """Return what all readers tell, and figures by source."""
        shares: Shares = self.sampler.state.shares
        entries = self._entries(max(self._read, self._first))
        whole, given = sum(shares.per_epoch), max(1, sum(entries))
        figures = {
            part.name: {
                "samples": len(part.indices),
                "entries": own,
                "epochs": own / len(part.indices),
                "share": float(share / whole),
                "given": own / given,
                "bad": self._bad[i],
            }
            for i, (part, own, share) in enumerate(
                zip(self.parts, entries, shares.per_epoch, strict=True)
            )
        }
        return super().meta() | {"sources": figures}

    def event_counts(self) -> dict[str, int]:
        return {f"bad samples of {self.parts[i].name!r}": n for i, n in self._bad.items()}

    def remark(self) -> str:
        if not hasattr(self, "window"):
            return ""
        read = [
            f"{name!r} {int(samples)} samples, {nbytes / 1e6:.1f} MB, {seconds:.2f} s"
            for name, (samples, nbytes, seconds) in zip(
                self.readers, self.source.figures, strict=True
            )
            if samples
        ]
        return "; ".join(filter(None, (super().remark(), f"read here: {', '.join(read)}")))

    def left_out(self) -> Sequence[Damage]:
        return [each for reader in self.readers.values() for each in reader.left_out()]

    def interrupt(self) -> None:
        super().interrupt()
        for reader in self.readers.values():
            reader.waits.set()
