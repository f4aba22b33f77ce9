"""The child process that runs jobs: `python -m penstock.cli.probes.child MODULE CONTEXT JOB...`.

The process prints one line of JSON at the start of a job, `{"start": name}`, and one at its end,
`{"end": name, "result": {...}}` or `{"end": name, "error": text}`. After a crash, the parent thus
knows the earlier results and the job that crashed. The output of libraries goes to standard error.
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
    given = Context(**json.loads(context))
    jobs = importlib.import_module(module).JOBS
    for name in names:
        print(json.dumps({"start": name}), file=channel)
        try:
            answer = {"end": name, "result": asdict(jobs[name](given))}
        except Exception as error:
            answer = {"end": name, "error": describe(error)}
        print(json.dumps(answer), file=channel)
    channel.close()
    os._exit(0)  # some libraries crash or hang when the interpreter ends


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
