"""Several readers as one: `fn.readers.mix`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.operator import register
from ...engine.graph.params import ANY, OPTIONS, REQUIRED, STR, ArgumentType, param
from ...engine.suggestions import listed
from .members import MixedReader, check_alike, member_of, shown
from .parts import MixedPart, PartsReader

if TYPE_CHECKING:
    from ...engine.order.shares import Shares

RULES = ("weights", "repeats", "choose", "per_batch")


def _members(value: Any) -> dict[str, MixedReader]:
    if not isinstance(value, Mapping) or not value:
        raise TypeError("not a dict of a name and a reader's outputs for each source")
    return {str(name): member for name, member in value.items()}


MEMBERS = ArgumentType("Mapping[str, Any] | str", _members)


@register
class Mix(PartsReader):
    """Reads several sources as one: each batch has its share of each.

    A source is what one reader returns, unchanged. Shares are `weights`, `repeats`, `choose` or
    `per_batch`; without any, each sample comes once an epoch. Any batch of any rank has each source
    within 2 samples of its share. Each source gives all of its samples before one comes again, and
    is shuffled by itself. What is left of each source goes on after a checkpoint, with any number
    of ranks, other weights, or other sources. See docs/batches.md.

    >>> from pathlib import Path
    >>> from penstock import Pipeline, fn
    >>> for name in ("a1", "a2", "b1", "b2", "b3", "b4"):
    ...     _ = Path(name).write_text(name)
    >>> with Pipeline(batch_size=6, num_threads=1) as pipe:
    ...     data, label, source = fn.readers.mix(
    ...         {
    ...             "a": fn.readers.file(files=["a1", "a2"]),
    ...             "b": fn.readers.file(files=["b1", "b2", "b3", "b4"]),
    ...         },
    ...         weights={"a": 0.5, "b": 0.5},
    ...     )
    ...     pipe.set_outputs(data, source)
    ...     data, source = pipe.run()
    >>> [bytes(row).decode() for row in data.rows()]
    ['a1', 'b1', 'a2', 'b2', 'a1', 'b3']
    >>> source.as_array().tolist()
    [0, 1, 0, 1, 0, 1]

    Sources must have as many outputs, of equal dtypes and numbers of dimensions. A dict of outputs
    is matched by its keys. Sources that decode, such as `fn.readers.video`, must be of one reader.
    Shuffle, shards and padding are arguments of the mixture. A source may be a mixture or
    `fn.readers.balance` itself: its parts are named "outer/inner", and their weights multiply.

    Outputs:
        those of the sources.
        the number of the source, in the order of `members`: int32, shape ().

    Raises:
        ArgumentError: a source is none, has arguments that the mixture decides, or has other
            outputs; a number is negative, not finite, or of no source.
        SourceError: a source has no samples, or more bad ones than `max_bad`.
    """

    name = "readers.mix"
    positional = ("members",)

    members = param(
        MEMBERS,
        REQUIRED,
        "The sources: the outputs of a reader by the source's name; or the path of a file that "
        "lists sources and shares: a metadataset of Energon, an `input_cfg` of NeMo, `streams` of "
        "MosaicML, or a training of LLM Foundry.",
    )
    split = param(
        STR, None, "Split of the file that `members` names: of a metadataset, by default 'train'."
    )
    source_arguments = param(
        OPTIONS,
        {},
        "Arguments of the readers of a file's sources, which are `fn.readers.webdataset` for a "
        "metadataset, `fn.readers.nemo_asr` for an `input_cfg`, and `fn.readers.mds` for "
        "`streams`: `{'ext': ['jpg', 'cls']}`.",
    )
    weights = param(
        ANY,
        None,
        "Share of each source: numbers by name, or a list. Their sum counts as 1.",
    )
    repeats = param(
        ANY,
        None,
        "How often each sample of a source comes in an epoch, by default once. With 0.5, one half "
        "of the source comes in one epoch, and the other half in the next.",
    )
    choose = param(
        ANY, None, "Samples of a source in an epoch, by default all. Later epochs go on from there."
    )
    per_batch = param(
        ANY, None, "Samples of each source in every batch; they sum to the batch size."
    )

    @classmethod
    def by_current_names(cls, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments, with the calls of readers in place of their outputs."""
        given = super().by_current_names(arguments)
        members = given.get("members")
        if isinstance(members, str | os.PathLike):
            from .from_file import sources_of_file  # few mixtures need it

            split, own = given.pop("split", None), given.pop("source_arguments", {})
            given["members"], rule = sources_of_file(cls.called, members, split, own)
            if both := [name for name in RULES if given.get(name) is not None]:
                raise ArgumentError(
                    f"{cls.called}: {members} has the shares, so leave out {both[0]}"
                )
            given |= {name: own for name, own in rule.items() if given.get(name) is None}
        elif isinstance(members, Mapping):
            keys = [[*each] for each in members.values() if isinstance(each, Mapping)]
            given["members"] = {
                name: member_of(cls.called, name, _ordered(each, keys))
                for name, each in members.items()
            }
        return given

    def prepare(self) -> None:
        super().prepare()
        for name in ("split", "source_arguments"):
            if name in self.given:
                self.refuse(f"{name} goes with the path of a file as members")
        rules = [name for name in RULES if getattr(self, name) is not None]
        if len(rules) > 1:
            self.refuse(f"give one of {listed(RULES, 'or')}, not {listed(rules)}")
        if "epoch_size" in self.given and not {"weights", "per_batch"} & set(rules):
            self.refuse("epoch_size goes with weights or per_batch")
        self._rule = rules[0] if rules else ""
        check_alike(self.called, self.members, self.readers)
        for name, reader in self.readers.items():
            if isinstance(reader, Mix) and any(each.decoded for each in reader.members.values()):
                self.refuse(
                    f"the source {name!r} is a mixture of readers that decode: name its sources as "
                    "those of this mixture"
                )
            if isinstance(reader, Mix) and reader._rule == "per_batch":
                self.refuse(
                    f"the source {name!r} has per_batch, whose batches would be those of the "
                    "mixture: give it weights"
                )
            if (
                isinstance(reader, PartsReader)
                and self._rule == "weights"
                and "epoch_size" in reader.given
            ):
                self.refuse(
                    f"the source {name!r} has epoch_size, but weights leave the length of an epoch "
                    f"to {self.called}: give it epoch_size"
                )
        for rule in rules:
            self._by_name(rule)

    def members_by_name(self) -> Mapping[str, MixedReader]:
        return dict(self.members)

    def shares_by(self) -> str:
        if self._rule:
            return f"{self._rule} of {self.called}"
        inner = (each for each in self.readers.values() if isinstance(each, PartsReader))
        return next(filter(None, (each.shares_by() for each in inner)), "")

    def _by_name(self, rule: str) -> dict[str, Any]:
        """Return the numbers of a rule by the source's name."""
        given = getattr(self, rule)
        if isinstance(given, Mapping):
            return dict(given)
        if not isinstance(given, Sequence | np.ndarray) or len(given) != len(self.members):
            self.refuse(
                f"{rule} must be a dict, or a list with a number for each of the "
                f"{len(self.members)} sources, but is {given!r:.100}"
            )
        return dict(zip(self.members, np.asarray(given).tolist(), strict=True))

    def wrap(self, outputs: tuple[Any, ...]) -> Any:
        name, member = next(iter(self.members.items()))
        if not member.decoded:
            return super().wrap(outputs)
        decoded = self.readers[name].wrap(outputs)
        decoded = decoded if isinstance(decoded, list) else [decoded]
        for name, each in self.members.items():
            if each.decoded != shown(decoded):
                self.refuse(
                    f"the source {name!r} must be what its reader has returned, unchanged; it is "
                    f"{', '.join(each.decoded)}"
                )
        return decoded

    def find_parts(self) -> list[MixedPart]:
        from fractions import Fraction

        self._of_member: dict[str, list[MixedPart]] = {}
        firsts = self.source.firsts.tolist()
        for (name, reader), first in zip(self.readers.items(), firsts, strict=True):
            if isinstance(reader, PartsReader):
                shares = reader.asked_shares(1).per_epoch
                own = [
                    MixedPart(f"{name}/{part.name}", _shifted(part.indices, first), share)
                    for part, share in zip(reader.parts, shares, strict=True)
                ]
            else:
                size = Fraction(reader.samples_of_epoch())
                own = [MixedPart(name, _shifted(reader.fixed_samples(), first), size)]
            self._of_member[name] = own
        return [part for own in self._of_member.values() for part in own]

    def asked_shares(self, batch_size: int) -> Shares:
        from fractions import Fraction

        from ...engine.order import shares
        from ...engine.order.shares import Shares

        given = self._by_name(self._rule) if self._rule else {}
        if self._rule == "weights":
            return self.shares_of(given)
        sizes = {
            name: ceil(sum(part.weight for part in own)) for name, own in self._of_member.items()
        }
        if self._rule == "per_batch":
            if len(self.parts) > len(sizes):
                self.refuse("per_batch takes no sources that are mixtures: give weights")
            return shares.shares_of_batches(sizes, given, batch_size, self.epoch_size)
        if self._rule == "choose":
            of_members = shares.shares_of_choice(sizes, given).counts(0)
            counts = [
                count
                for own, chosen in zip(self._of_member.values(), of_members, strict=True)
                for count in shares.apportioned(chosen, [part.weight for part in own])
            ]
            return Shares(tuple(map(Fraction, counts)))
        repeats = shares.shares_of_repeats(sizes, given)
        return Shares(
            tuple(
                each * part.weight / sizes[name]
                for (name, own), each in zip(
                    self._of_member.items(), repeats.per_epoch, strict=True
                )
                for part in own
            )
        )

    def shares_of(self, weights: Mapping[str, float]) -> Shares:
        """Return the shares of the parts, of which each source has those of its weight."""
        from ...engine.order import shares

        exact = shares.exact_numbers("weights", weights, self.members)
        of_parts, sizes = {}, {}
        for name, own in self._of_member.items():
            whole = sum(part.weight for part in own)
            for part in own:
                sizes[part.name] = len(part.indices)
                of_parts[part.name] = exact[name] * part.weight / whole
        return shares.shares_of_weights(sizes, of_parts, self.epoch_size)


def _ordered(value: Any, keys: Sequence[list[str]]) -> Any:
    """Return the outputs of a dict in the order of the first dict's keys."""
    if not isinstance(value, Mapping) or set(value) != set(keys[0]):
        return value
    return [value[key] for key in keys[0]]


def _shifted(indices: Any, first: int) -> Any:
    if isinstance(indices, range):
        return range(indices.start + first, indices.stop + first)
    return indices + first
