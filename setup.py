"""Refuses to build a tree whose links were lost, as by programs that unpack a zip without them."""

from pathlib import Path

from setuptools import setup

PACKAGE = Path(__file__).parent / "src" / "penstock"
lost = [path.name for path in PACKAGE.iterdir() if path.is_file() and not path.suffix]
if lost:
    raise SystemExit(
        f"src/penstock/{min(lost)} should be a link to a folder of the checkout, and is a file: "
        "the links were lost when this tree was copied or unpacked. Install from a clone by git, "
        "from a tar archive, or from the source distribution."
    )
setup()
