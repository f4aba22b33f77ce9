"""The arguments that the iterators of all frameworks share: their meaning and their description."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Mapping
from typing import Any

from ..engine.errors import ArgumentError
from ..engine.suggestions import not_among
from .epochs import LastBatchPolicy

_AUTO_RESET = {"yes": True, "True": True, "no": False, "False": False}

_OLD = ("dynamic_shape", "fill_last_batch")  # for older programs; no message advises them

DESCRIPTION = """\
    Args:
        pipelines: one or several pipelines, for instance one for each shard. All must have
            the same batch size.
        output_map: a name for each output of a pipeline, in their order. May be left out if the
            definition returns a dict, whose keys are the names then.
        size: number of samples in an epoch of all `pipelines` together. If neither `size` nor
            `reader_name` is given, the (single) pipeline runs until it raises StopIteration, and
            `last_batch_policy` has no effect.
        reader_name: name of a reader in every pipeline. The iterator counts epochs by this
            reader, which makes `size` and `last_batch_padded` unnecessary. The count is exact
            even if shards differ in size.
        auto_reset: restart of epochs: with True or "yes", the next epoch starts by itself after
            StopIteration. With False, "no" or None, the user calls `reset()`, or starts a new `for`
            loop.
        fill_last_batch: deprecated; True is `LastBatchPolicy.FILL`, False `PARTIAL`.
        dynamic_shape: no effect, because shapes may always change from batch to batch.
        last_batch_padded: value of the reader's `pad_last_batch`, for use with `size`.
        last_batch_policy: treatment of a last batch that the samples do not fill: a
            `LastBatchPolicy`, or "fill", "drop" or "partial".
        prepare_first_batch: start the pipelines' work in the constructor instead of at the first
            step. External sources must have been fed before that.
        with_valid: add the entry "valid" to each batch: a boolean for every sample, False for
            padding and for replacement samples. A loss can leave these samples out.
        batch_form: what a step yields: "list", a list with a dictionary for each pipeline; "dict",
            the dictionary of the one pipeline; or "tuple", its tensors in the order of the names,
            with "valid" at the end.
"""
"""The arguments of `BaseIterator`, for the docstring of each iterator."""


def describe(iterator: Any, description: str) -> None:
    """Put a description of the arguments into a docstring, where it says `{arguments}`.

    A class or function without an argument `output_map` has no description of that argument.
    """
    if iterator.__doc__ is None or "{arguments}" not in iterator.__doc__:
        return
    known = inspect.signature(iterator).parameters
    lines: list[str] = []
    shown = True
    for line in description.splitlines()[1:]:
        name = line.strip().partition(":")[0]
        shown = name in known if line[8] != " " else shown
        lines += [line] if shown else []
    iterator.__doc__ = iterator.__doc__.replace("{arguments}", "\n".join(lines).strip())


def refuse_unknown(iterator: type, unknown: Mapping[str, object]) -> None:
    """Raise TypeError for arguments that an iterator does not have."""
    if unknown:
        known = [
            name
            for name, parameter in inspect.signature(iterator).parameters.items()
            if parameter.kind is not inspect.Parameter.VAR_KEYWORD and name not in _OLD
        ]
        raise TypeError(
            f"{iterator.__name__} has no argument {not_among(next(iter(unknown)), known)}"
        )


def resets_itself(auto_reset: str | bool | None) -> bool:
    """Return the meaning of `auto_reset`."""
    if auto_reset is None or isinstance(auto_reset, bool):
        return bool(auto_reset)
    if auto_reset not in _AUTO_RESET:
        raise ArgumentError(f'auto_reset must be True, False, "yes" or "no", not {auto_reset!r}')
    return _AUTO_RESET[auto_reset]


def chosen_policy(last_batch_policy: object, fill_last_batch: bool | None) -> LastBatchPolicy:
    """Return the policy. The older argument `fill_last_batch` overrides the newer one."""
    if fill_last_batch is not None:
        policy = LastBatchPolicy.FILL if fill_last_batch else LastBatchPolicy.PARTIAL
        warnings.warn(
            f"fill_last_batch is deprecated; use last_batch_policy={policy}",
            DeprecationWarning,
            stacklevel=4,
        )
        return policy
    if isinstance(last_batch_policy, LastBatchPolicy | str):
        return LastBatchPolicy(last_batch_policy)
    return LastBatchPolicy._missing_(last_batch_policy)  # a number is no policy, nor is False
