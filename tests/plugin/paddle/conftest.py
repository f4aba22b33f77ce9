"""Paddle, whose import warns where no compiler cache is installed."""

import warnings
from contextlib import suppress

with warnings.catch_warnings(), suppress(ImportError):
    warnings.simplefilter("ignore")
    import paddle  # noqa: F401
