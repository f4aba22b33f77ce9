import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.engine.errors import DecodeError
from penstock.formats.rle import decode_counts, decode_text

mask_api = pytest.importorskip("pycocotools.mask")
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")


def decoded(runs, height, width):
    values = np.repeat(np.arange(len(runs)) % 2, runs)
    return values.reshape(width, height).T


@pytest.mark.parametrize("density", [0.0, 0.01, 0.5, 0.99, 1.0])
def test_text_as_pycocotools_writes_it(density):
    rng = np.random.default_rng(3)
    for height, width in ((1, 1), (7, 5), (300, 2), (64, 80)):
        mask = (rng.random((height, width)) < density).astype(np.uint8)
        text = mask_api.encode(np.asfortranarray(mask))["counts"]
        for counts in (text, text.decode()):
            np.testing.assert_array_equal(
                decoded(decode_counts(counts, mask.size), height, width), mask
            )


@given(st.lists(st.integers(0, 1 << 20), min_size=1, max_size=12))
def test_lists_and_text_agree(counts):
    pixels = sum(counts)
    rle = mask_api.frPyObjects({"counts": counts, "size": [1, pixels]}, 1, pixels)
    expected = np.array(counts, np.uint32)
    np.testing.assert_array_equal(decode_counts(counts, pixels), expected)
    np.testing.assert_array_equal(decode_counts(rle["counts"], pixels), expected)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([3, 4], "cover 7 pixels, but its size has 16"),
        ("52203", "cover 16 pixels, but its size has 15"),
        ([3, -3, 16], "negative, or longer than 16 pixels"),
        ([3, 1 << 70], "negative, or longer than 16 pixels"),
        ([3, 13.0], "list of integers"),
        ([True, 15], "list of integers"),
        (None, "neither a text nor a list"),
        ("5 2", "character"),
        ("5\xff", "character"),
        ("5P", "cut off"),
        ("PPPPPPPPPPPPPPPPPPP0", "more than 32 bits"),
        ("0O", "negative"),
    ],
)
def test_counts_that_fit_no_mask(counts, message):
    with pytest.raises(DecodeError, match=message):
        decode_counts(counts, 15 if counts == "52203" else 16)


@given(st.binary(max_size=40))
def test_any_bytes_are_runs_or_an_error(text):
    try:
        runs = decode_text(text)
    except DecodeError:
        return
    assert runs.size == 0 or (runs.min() >= 0 and runs.max() < 1 << 32)
