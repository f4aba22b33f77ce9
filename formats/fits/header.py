"""Headers of FITS files: cards of 80 bytes, such as b"BITPIX  =                  -32 / float"."""

from __future__ import annotations

import math

from ...engine.errors import DecodeError

BLOCK = 2880
_CARD = 80
_END = b"END".ljust(8)


def header_length(beginning: bytes) -> int | None:
    """Return the bytes that a header takes with its padding; None if its end is not in them.

    Args:
        beginning: bytes from the header's first one on.
    """
    at = -1
    while True:
        at = beginning.find(_END, at + 1)
        if at < 0:
            return None
        if at % _CARD == 0:
            return -(-(at + _CARD) // BLOCK) * BLOCK


class FitsHeader:
    """The values of a header. Of cards with one keyword, the first counts."""

    def __init__(self, data: bytes) -> None:
        """Take the header's bytes, to the END card at least."""
        cards = [data[at : at + _CARD] for at in range(0, len(data), _CARD)]
        self.first = cards[0]
        self._values = {
            card[:8].rstrip(): card[10:] for card in reversed(cards) if card[8:10] == b"= "
        }

    def text(self, key: str) -> str:
        """Return a text in quotes, without spaces at its end; "" if there is no such card."""
        value = self._values.get(key.encode(), b"").strip()
        return value[1:].partition(b"'")[0].rstrip().decode("latin-1") if value[:1] == b"'" else ""

    def flag(self, key: str) -> bool:
        """Return whether a card says T."""
        return self._word(key) == b"T"

    def integer(self, key: str, default: int | None = None) -> int:
        """Return an integer.

        Raises:
            DecodeError: there is no such card and no default, or its value is none.
        """
        word = self._word(key)
        if not word and default is not None:
            return default
        try:
            if len(word) > 20:
                raise ValueError
            return int(word)
        except ValueError:
            raise _bad_value(key, word, "an integer") from None

    def number(self, key: str, default: float) -> float:
        """Return a number.

        Raises:
            DecodeError: the card's value is none, or not finite.
        """
        word = self._word(key)
        if not word:
            return default
        try:
            value = float(word.replace(b"D", b"E").replace(b"d", b"e"))
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise _bad_value(key, word, "a number")
        return value

    def _word(self, key: str) -> bytes:
        """Return the value of a card as it is written; b"" if there is no such card."""
        return self._values.get(key.encode(), b"").partition(b"/")[0].strip()


def _bad_value(key: str, word: bytes, wanted: str) -> DecodeError:
    has = f"has {word[:40]!r} where {wanted} must be" if word else "is missing"
    return DecodeError(f"FITS: the card {key} {has}")
