"""What a reader of archives behind URLs says if it fetches more at its start than the samples."""

from __future__ import annotations

from ..storage.urls import is_url
from .shards import UNKNOWN, Shards

_INDEXES = "`penstock index --beside` writes"


def why_whole(shards: Shards, missing: str) -> str:
    """Return why archives are fetched before the first batch, and the remedy; "" if they are not.

    Args:
        shards: the archives, and what is known of them without their indexes.
        missing: `missing_component_behavior` of the reader.
    """
    remote = sum(map(is_url, shards.paths))
    if remote < len(shards.paths):
        reason = (
            f"{len(shards.paths) - remote} others are local files: use two readers and "
            "fn.readers.mix, or copy the local ones to the store"
        )
    elif missing == "skip":
        reason = (
            "missing_component_behavior='skip' leaves out samples that nothing tells: choose "
            f"'empty' or 'error', or have the indexes that {_INDEXES}"
        )
    elif not shards.are_told:
        reason = (
            "nothing tells how many samples each has: samples_per_shard=, a dataset.json, "
            f"Energon's metadata, or the indexes that {_INDEXES}, let the first batch come at once"
        )
    else:
        return ""
    return (
        f"{remote} archives behind URLs are read as a whole before the first batch, unless their "
        f"indexes are cached, because {reason}"
    )


def why_last(shards: Shards) -> str:
    """Return why the last archive alone is fetched before the first batch; "" if it is not."""
    if shards.counts[-1] != UNKNOWN:
        return ""
    return (
        "the last archive is read as a whole before the first batch, unless its index is cached, "
        f"because it may have fewer than samples_per_shard={shards.largest}: give a list with the "
        "number of each archive"
    )


def of_walk(window: int) -> str:
    """Return what an epoch of whole archives is like, `window` of which are mixed."""
    return (
        f"in the first epoch, shards are read whole, in random order, and the samples of {window} "
        "are mixed (shuffle_window); later epochs are shuffled as a whole"
    )


def why_all(orders: str) -> str:
    """Return why the first batches fetch most archives: what `orders` them, "" for a checkpoint."""
    return (
        "the first batches have samples of many archives, because "
        + (f"{orders} orders them" if orders else "the run goes on in a later epoch")
        + ". Each archive is fetched up to the last of them, unless its index is cached: have the "
        f"indexes that {_INDEXES}"
    )
