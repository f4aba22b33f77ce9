"""A process that judges files: paths come on standard input, verdicts go to standard output.

A file can crash the process or hold it for ever, so the corpus gives files to such processes.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from pathlib import Path

from .media import medium_of
from .verdicts import Judge, Kind, Verdict


def judge_of(path: Path) -> Judge:
    """Return the judge for the medium of a file."""
    module = importlib.import_module(f".{medium_of(path)}", __package__)
    judge: Judge = module.judge
    return judge


def main() -> None:
    """Answer each line, a path as JSON, with a line of JSON: kind and detail."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print must not mix with the answers
    for line in sys.stdin:
        path = Path(json.loads(line))
        try:
            verdict = judge_of(path)(path)
        except Exception as error:
            verdict = Verdict(Kind.DIFFERS, f"{type(error).__name__} in the judge: {error}")
        print(json.dumps(verdict), file=answers, flush=True)


if __name__ == "__main__":
    main()
