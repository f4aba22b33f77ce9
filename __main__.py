"""`python -m penstock` is the command `penstock`."""

from .cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())
