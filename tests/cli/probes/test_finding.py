import pytest

from penstock.cli.console import size_text
from penstock.cli.probes.finding import Context, Finding, describe


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 B"), (1023, "1023 B"), (1024, "1 KiB"), (1536, "1.5 KiB"), (5 << 40, "5120 GiB")],
)
def test_sizes(size, text):
    assert size_text(size) == text


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ValueError("one\ntwo"), "ValueError: one"),
        (AssertionError(), "AssertionError"),
        (PermissionError(13, "Permission denied", "/x"), "PermissionError: Permission denied"),
        (OSError("libx.so: cannot open"), "OSError: libx.so: cannot open"),
    ],
)
def test_errors_in_a_line(error, text):
    assert describe(error) == text


@pytest.mark.parametrize(("cuda", "suited"), [(0, 13), (12, 12), (13, 13), (14, 13)])
def test_remedies_suit_the_driver(cuda, suited):
    assert (
        Context(cuda=cuda).with_cuda("pip install x[cuda{cuda}]") == f"pip install x[cuda{suited}]"
    )


def test_what_works():
    works = [Finding("x", status).works for status in ("ok", "limited", "missing", "broken")]
    assert works == [True, True, False, False]
