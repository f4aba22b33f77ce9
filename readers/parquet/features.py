"""The names of classes that the library `datasets` writes into the metadata of a schema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

METADATA = b"huggingface"


def features_of(metadata: Mapping[bytes, bytes] | None) -> dict[str, object]:
    """Return the features by column; an empty dict if there are none."""
    try:
        features = json.loads((metadata or {})[METADATA])["info"]["features"]
    except (TypeError, KeyError, ValueError, RecursionError):
        return {}
    return features if isinstance(features, dict) else {}


def class_names(features: Mapping[str, Any], column: str) -> tuple[str, ...]:
    """Return the names of the values of a column; an empty tuple if it has none.

    >>> class_names({"label": {"names": ["cat", "dog"], "_type": "ClassLabel"}}, "label")
    ('cat', 'dog')
    >>> class_names({"objects": [{"category": {"names": ["cat"]}}]}, "objects.category")
    ('cat',)
    """
    feature: object = features
    for name in [column] if column in features else column.split("."):
        feature = _without_lists(feature)
        feature = feature.get(name) if isinstance(feature, Mapping) else None
    feature = _without_lists(feature)
    names = feature.get("names") if isinstance(feature, Mapping) else None
    return tuple(map(str, names)) if isinstance(names, list) else ()


def _without_lists(feature: object) -> object:
    """Return the feature of a list's elements; lists are written in three ways."""
    while True:
        if isinstance(feature, list) and len(feature) == 1:
            feature = feature[0]
        elif isinstance(feature, Mapping) and isinstance(feature.get("feature"), (list, Mapping)):
            feature = feature["feature"]
        else:
            return feature
