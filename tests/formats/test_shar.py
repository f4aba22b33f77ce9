import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.engine.errors import SourceError
from penstock.formats.shar import Cut, parse_cut

LINE = {"type": "MonoCut", "id": "a", "start": 0.5, "duration": 2, "supervisions": []}
VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
NESTED = st.recursive(VALUES, lambda x: st.lists(x, max_size=3) | st.dictionaries(st.text(), x))


def parsed(**changes):
    return parse_cut(json.dumps(LINE | changes).encode(), "cuts, line 1")


def test_fields():
    told = [{"text": "a", "speaker": "x", "language": "en"}, {"text": "b", "speaker": "y"}, {}]
    custom = {
        "snr": 3,
        "note": "n",
        "words": [1],
        "other": {"sources": []},
        "text": "t",
        "no": None,
    }
    expected = {"snr": 3.0, "note": "n", "words": b"[1]", "custom_text": "t"}
    cut = parsed(supervisions=told, custom=custom)
    assert cut == Cut("a", 0.5, 2.0, "a b", "x,y", "en", expected)


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"type": "MixedCut"}, "line 1 is a 'MixedCut', which has no recording of its own"),
        ({"id": 3}, "the id 3 is no text"),
        ({"start": -1}, "start is -1, and no time"),
        ({"duration": None}, "duration is None"),
        ({"duration": float("nan")}, "duration is nan"),
        ({"supervisions": {}} | {"supervisions": "x"}, "no list of objects"),
        ({"supervisions": [{"text": 1}]}, "text of a supervision is 1"),
        ({"custom": [1]}, "'custom' is no object"),
    ],
)
def test_lines_that_are_no_cuts(changes, error):
    with pytest.raises(SourceError, match=error):
        parsed(**changes)


@given(st.dictionaries(st.sampled_from([*LINE, "custom"]), NESTED) | st.binary(max_size=30))
def test_any_line_is_a_cut_or_an_error(content):
    line = content if isinstance(content, bytes) else json.dumps(LINE | content).encode()
    try:
        cut = parse_cut(line, "here")
    except SourceError as error:
        assert str(error).startswith("here")  # noqa: PT017
    else:
        assert cut.id
