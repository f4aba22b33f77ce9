"""Runs jobs in a process of its own: `python -m penstock.cli.probes.child MODULE CONTEXT JOB...`.

It prints a line of JSON when a job begins, `{"begin": name}`, and one when it has ended,
`{"end": name, "result": {...}}` or `{"end": name, "error": text}`, so that whoever reads them
knows what had been found before a crash, and which job was at work. What libraries print goes to
standard error.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from dataclasses import asdict

from .finding import Context, describe


def main(module: str, context: str, names: list[str]) -> None:
    """Run the jobs `names` of `module.JOBS` with the context given as JSON."""
    channel = os.fdopen(os.dup(1), "w", buffering=1, encoding="ascii")
    os.dup2(2, 1)
    told = Context(**json.loads(context))
    jobs = importlib.import_module(module).JOBS
    for name in names:
        print(json.dumps({"begin": name}), file=channel)
        try:
            answer = {"end": name, "result": asdict(jobs[name](told))}
        except Exception as error:
            answer = {"end": name, "error": describe(error)}
        print(json.dumps(answer), file=channel)
    channel.close()
    os._exit(0)  # some libraries crash or hang when the interpreter ends


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
