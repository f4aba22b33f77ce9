"""Pictures on terminals that show them: kitty's graphics, iTerm2's inline images, and sixels.

https://sw.kovidgoyal.net/kitty/graphics-protocol/
https://iterm2.com/documentation-images.html
https://vt100.net/docs/vt3xx-gp/chapter14.html (sixels)
"""

from __future__ import annotations

import base64
import fcntl
import struct
import termios
from collections.abc import Mapping
from typing import Literal, TextIO

import cv2
import numpy as np

from .pixels import Picture
from .sheet import as_png
from .sixel import as_sixels

Protocol = Literal["kitty", "iterm2", "sixel"]

_CHUNK = 4096  # bytes of one escape sequence of kitty's
_CELL_WIDTH = 9  # pixels of a character, if the terminal does not say

# Values of TERM_PROGRAM; kitty's protocol is the sharpest where a terminal has several.
_PROGRAMS: dict[str, Protocol] = {
    "ghostty": "kitty",
    "iTerm.app": "iterm2",
    "kitty": "kitty",
    "mintty": "sixel",
    "vscode": "iterm2",
    "WarpTerminal": "kitty",
    "WezTerm": "iterm2",
}
# Variables that terminals set, beside TERM_PROGRAM.
_VARIABLES: dict[str, Protocol] = {
    "KITTY_WINDOW_ID": "kitty",
    "GHOSTTY_RESOURCES_DIR": "kitty",
    "KONSOLE_VERSION": "kitty",
    "ITERM_SESSION_ID": "iterm2",
    "WEZTERM_PANE": "iterm2",
    "WT_SESSION": "sixel",
}
# Starts of TERM, which also tell over SSH.
_TERMS: dict[str, Protocol] = {
    "xterm-kitty": "kitty",
    "xterm-ghostty": "kitty",
    "foot": "sixel",
    "mlterm": "sixel",
    "contour": "sixel",
}


def protocol_of(environment: Mapping[str, str]) -> Protocol | None:
    """Return how the terminal shows pictures; None if it shows none, as far as is known.

    tmux and screen pass no pictures on, unless they are told to.
    """
    term = environment.get("TERM", "")
    if environment.get("TMUX") or term.startswith(("screen", "tmux")) or term == "dumb":
        return None
    for start, protocol in _TERMS.items():
        if term.startswith(start) or (protocol == "sixel" and "sixel" in term):
            return protocol
    program = environment.get("TERM_PROGRAM", environment.get("LC_TERMINAL", ""))
    if program in _PROGRAMS:
        return _PROGRAMS[program]
    return next((protocol for name, protocol in _VARIABLES.items() if environment.get(name)), None)


def picture_width(stream: TextIO, columns: int) -> int:
    """Return the width in pixels of a terminal with so many columns."""
    size = bytes(8)
    try:
        size = fcntl.ioctl(stream.fileno(), termios.TIOCGWINSZ, size)
    except OSError:
        return columns * _CELL_WIDTH
    pixels: int = struct.unpack("HHHH", size)[2]
    return pixels or columns * _CELL_WIDTH


def as_sequences(picture: Picture, protocol: Protocol, width: int) -> str:
    """Return the text that shows a picture on a terminal, scaled down to `width` pixels."""
    if picture.shape[1] > width:
        size = width, max(1, round(picture.shape[0] * width / picture.shape[1]))
        picture = np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)
    return {"kitty": _kitty, "iterm2": _iterm2, "sixel": as_sixels}[protocol](picture) + "\n"


def _kitty(picture: Picture) -> str:
    data = base64.b64encode(as_png(picture)).decode()
    chunks = [data[start : start + _CHUNK] for start in range(0, len(data), _CHUNK)]
    heads = ["a=T,f=100,q=2,"] + [""] * (len(chunks) - 1)
    return "".join(
        f"\x1b_G{head}m={int(number < len(chunks) - 1)};{chunk}\x1b\\"
        for number, (head, chunk) in enumerate(zip(heads, chunks, strict=True))
    )


def _iterm2(picture: Picture) -> str:
    png = as_png(picture)
    data = base64.b64encode(png).decode()
    return f"\x1b]1337;File=inline=1;size={len(png)};preserveAspectRatio=1:{data}\a"
