"""`python -m penstock` is the command `penstock`."""

import signal

if __name__ == "__main__":
    try:
        from .cli.main import main

        raise SystemExit(main())
    except KeyboardInterrupt:  # while modules are imported; commands have their own
        raise SystemExit(128 + signal.SIGINT) from None
