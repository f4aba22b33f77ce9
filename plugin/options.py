"""The keyword arguments that the iterators of all frameworks accept."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TypedDict

from ..engine.errors import ArgumentError
from .epochs import LastBatchPolicy

_AUTO_RESET = {"yes": True, "True": True, "no": False, "False": False}


class EpochArguments(TypedDict, total=False):
    """The fields of `EpochOptions` as keyword arguments, for type checkers and editors."""

    auto_reset: str | bool | None
    fill_last_batch: bool | None
    last_batch_padded: bool
    last_batch_policy: LastBatchPolicy
    prepare_first_batch: bool
    with_valid: bool


@dataclass(frozen=True)
class EpochOptions:
    """Options for the start, the end and the repetition of epochs.

    Attributes:
        auto_reset: with True or "yes", the next epoch starts by itself after StopIteration. With
            False, "no" or None, the user calls `reset()`, or starts a new `for` loop.
        fill_last_batch: deprecated; True is `LastBatchPolicy.FILL`, False `PARTIAL`.
        last_batch_padded: with `size`, the reader's `pad_last_batch`.
        last_batch_policy: see `LastBatchPolicy`.
        prepare_first_batch: start the pipelines' work in the constructor instead of at the first
            step. External sources must have been fed before that.
        with_valid: add the entry "valid" to each batch: a boolean for every sample, False for
            padding and for replacement samples. A loss can leave these samples out.
    """

    auto_reset: str | bool | None = False
    fill_last_batch: bool | None = None
    last_batch_padded: bool = False
    last_batch_policy: LastBatchPolicy = LastBatchPolicy.FILL
    prepare_first_batch: bool = True
    with_valid: bool = False

    def resets_itself(self) -> bool:
        """Return the meaning of `auto_reset`."""
        if self.auto_reset is None or isinstance(self.auto_reset, bool):
            return bool(self.auto_reset)
        if self.auto_reset not in _AUTO_RESET:
            raise ArgumentError(
                f'auto_reset must be True, False, "yes" or "no", not {self.auto_reset!r}'
            )
        return _AUTO_RESET[self.auto_reset]

    def policy(self) -> LastBatchPolicy:
        """Return the policy. The older argument `fill_last_batch` overrides the newer one."""
        policy = self.last_batch_policy
        if self.fill_last_batch is not None:
            policy = LastBatchPolicy.FILL if self.fill_last_batch else LastBatchPolicy.PARTIAL
            warnings.warn(
                f"fill_last_batch is deprecated; use last_batch_policy={policy}",
                DeprecationWarning,
                stacklevel=4,
            )
        if not isinstance(policy, LastBatchPolicy):
            raise ArgumentError(f"last_batch_policy must be a LastBatchPolicy, not {policy!r}")
        return policy
