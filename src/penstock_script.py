"""The script `penstock`.

The module lies outside the package, because `import penstock` imports NumPy, which takes longer
than to print the version.
"""

import signal
import sys
from importlib.util import find_spec


def main() -> int:
    """Print the version, or run the command line; return the exit status."""
    if sys.argv[1:] == ["--version"]:
        print(f"penstock {_version()}")
        return 0
    try:
        from penstock.cli.main import main as run

        return run()
    except KeyboardInterrupt:  # while modules are imported; commands have their own
        return 128 + signal.SIGINT


def _version() -> str:
    """Return the version that the source of the package states."""
    origin = getattr(find_spec("penstock"), "origin", None)
    assert origin, "the package lies beside the script"
    with open(origin, encoding="utf-8") as source:
        return next(line for line in source if line.startswith("__version__")).split('"')[1]
