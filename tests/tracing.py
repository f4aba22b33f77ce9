"""Where a hook of `sys.settrace` stands, for tests that interrupt code at a line."""

from __future__ import annotations

import dis
import linecache
from types import FrameType


def leaves_with(frame: FrameType) -> bool:
    """Return whether the frame is at the end of a `with` block, where no signal's handler runs."""
    line = linecache.getline(frame.f_code.co_filename, frame.f_lineno).lstrip()
    opcode = dis.opname[frame.f_code.co_code[frame.f_lasti]]
    return line.startswith("with ") and not opcode.startswith(("LOAD_FAST", "LOAD_GLOBAL"))
