"""One list of options: of the function, of the command, and of what is pickled to tasks."""

from __future__ import annotations

import inspect
import pickle
from dataclasses import fields

import pytest

from penstock import ArgumentError, datasets
from penstock.cli.main import GROUP
from penstock.datasets.conversion.options import ConvertOptions
from penstock.datasets.where import Where


def test_the_function_takes_the_fields():
    parameters = inspect.signature(datasets.convert).parameters
    names = [field.name for field in fields(ConvertOptions)]
    assert list(parameters) == names
    assert [
        name for name, parameter in parameters.items() if parameter.kind != parameter.KEYWORD_ONLY
    ] == names[:2]
    assert all(f"        {name}: " in datasets.convert.__doc__ for name in names)


def test_the_command_has_them_but_for_what_no_text_can_be():
    names = {parameter.name for parameter in GROUP.commands["convert"].params}
    fields_of_options = {field.name for field in fields(ConvertOptions)}
    assert fields_of_options - names == {"storage_options", "destination_options", "progress"}
    assert names - fields_of_options == {"as_json"}


def test_a_missing_option_is_named_as_of_any_function():
    with pytest.raises(TypeError, match=r"^missing a required argument: 'to'"):
        datasets.convert("a", "b")
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'shards'"):
        datasets.convert("a", "b", to="npz", shards=3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"to": "nothing"}, "the format is one of"),
        ({"shard_count": 0}, "shard_count must be positive, not 0"),
        ({"shard_count": 1, "shard_size": 1}, "either shard_count or shard_size"),
        ({"sample_fraction": 1.5}, "at most 1"),
        ({"where": "exit()"}, "where"),
        ({"audio": "mp3"}, "audio is one of"),
    ],
)
def test_values_are_checked_at_once(options, message):
    with pytest.raises(ArgumentError, match=message):
        ConvertOptions("a", "b", **{"to": "npz"} | options)


def test_options_are_pickled_with_their_filter():
    options = ConvertOptions("a", "b", to="npz", where="label == 1")
    assert isinstance(options.filter, Where)
    assert str(pickle.loads(pickle.dumps(options)).filter) == "label == 1"
