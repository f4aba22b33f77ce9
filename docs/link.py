"""Give the checkout the form of the installed package, for mypy, Pyright and editors.

python docs/link.py FOLDER              make FOLDER/penstock, a folder of links into the checkout
python docs/link.py FOLDER --install    and let this Python find FOLDER, before an editable install
"""

from __future__ import annotations

import argparse
import shutil
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STUBS = ROOT / "stubs"


def link(folder: Path) -> None:
    """Make `folder`/penstock, with the stubs where the wheel has them."""
    package = folder / "penstock"
    if package.is_symlink():
        package.unlink()
    shutil.rmtree(package, ignore_errors=True)
    package.mkdir(parents=True)
    for path in (*ROOT.iterdir(), *STUBS.iterdir()):
        if path != STUBS and not path.name.startswith("."):
            (package / path.name).symlink_to(path)


def main() -> None:
    """Make the links."""
    parser = argparse.ArgumentParser(description="Make a folder of links to the checkout.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--install", action="store_true", help="add the folder to Python's path")
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    link(folder)
    if arguments.install:
        path_file = Path(sysconfig.get_path("purelib")) / "penstock_checkout.pth"
        path_file.write_text(f"{folder}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
