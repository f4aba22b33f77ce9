"""Builds the packages, and tries the wheel on each release of Python that this machine has.

    python tests/packages.py --extras audio,video 3.11 3.12

The source distribution holds every file of the checkout, and the wheel is built out of it. Each
release of Python gets a new virtual environment. There the commands of README.md and of the site's
start page install Penstock out of the sources, as these pages have them, by uv in the place of pip.
Then the wheel takes its place, with all extras, and the smoke tests of the source distribution run.
The command `penstock` is tried with both, outside of the checkout.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
UV = Path(sys.executable).with_name("uv")
TOOLS = ("pytest>=9", "pytest-timeout")
APART = {"benchmarks", "docs", "examples", "fixtures", "tests"}
"""Folders of the source distribution that are no part of the wheel."""
PAGES = ("README.md", "docs/index.md")
"""Pages that say how to install Penstock."""
OF_GIT = (".ci/", ".github/", ".vscode/", ".gitattributes", ".gitignore", "MANIFEST.in")
"""What only a checkout needs."""


class PackageError(Exception):
    """A package lacks files, or has too many."""


def build(folder: Path) -> tuple[Path, Path]:
    """Build both distributions; return the unpacked sources and the wheel."""
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.check_call([UV, "build", "--quiet", "--out-dir", folder, ROOT])
    (archive,) = folder.glob("*.tar.gz")
    (wheel,) = folder.glob("*.whl")
    with tarfile.open(archive) as file:
        file.extractall(folder, filter="data")
    return folder / archive.name.removesuffix(".tar.gz"), wheel


def compare(sources: Path, wheel: Path) -> None:
    """Compare the sources with the checkout, and the wheel with the sources.

    Raises:
        PackageError: the files are not the same.
    """
    present = {str(path.relative_to(sources)) for path in sources.rglob("*") if path.is_file()}
    present = {name for name in present if "penstock.egg-info/" not in name}
    if (ROOT / ".git").exists():
        made = {"MANIFEST.in", "PKG-INFO", "setup.cfg"}
        homes = homes_of_folders()
        listed = {packed_from(name, homes) for name in listed_by_git("--cached")} - {""}
        needed = {name for name in listed if not name.startswith(OF_GIT)}
        others = listed_by_git("--others", "--exclude-standard")
        others = {packed_from(name, homes) for name in others}
        agree("the source distribution", present, needed, listed | others | made)
    modules = {name for name in present if in_the_wheel(Path(name))}
    with zipfile.ZipFile(wheel) as file:
        packed = {name for name in file.namelist() if ".dist-info/" not in name}
    expected = {packed_name(name) for name in modules}
    agree("the wheel", packed, expected, expected)


def homes_of_folders() -> dict[str, str]:
    """Return by folder of the root where the source distribution has it, which has no links."""
    links = [path for path in (ROOT / "src" / "penstock").iterdir() if path.is_symlink()]
    homes = {path.resolve().name: f"src/penstock/{path.name}" for path in links}
    return {folder: home for folder, home in homes.items() if folder not in APART}


def packed_from(name: str, homes: dict[str, str]) -> str:
    """Return where the source distribution has a file of the checkout; "" for a link."""
    folder, _, rest = name.partition("/")
    if (ROOT / name).is_symlink():
        return ""
    return f"{homes[folder]}/{rest}" if folder in homes else name


def packed_name(name: str) -> str:
    """Return where the wheel has a file of the sources, named from their root."""
    return name.removeprefix("src/")


def listed_by_git(*options: str) -> set[str]:
    """Return the names of files of the checkout."""
    command = ["git", "ls-files", "-z", *options]
    return set(subprocess.check_output(command, cwd=ROOT, text=True).split("\0")[:-1])


def in_the_wheel(path: Path) -> bool:
    """Return whether a file of the sources, named from their root, belongs into the wheel."""
    module = path.suffix in {".cu", ".cuh", ".h", ".py", ".pyi"} or path.name == "py.typed"
    return module and path.parts[0] == "src"


def agree(package: str, present: set[str], needed: set[str], allowed: set[str]) -> None:
    """Raise an error if a package lacks files, or has some that are not allowed."""
    lacks, extra = sorted(needed - present), sorted(present - allowed)
    if lacks or extra:
        raise PackageError(f"{package} lacks {lacks}, and has {extra} too many")


def commands_of(page: Path) -> list[list[str]]:
    """Return the arguments for pip in the first block of commands of a page."""
    block = re.search(r"```sh\n(.*?)```", page.read_text(encoding="utf-8"), re.S)
    assert block is not None
    commands = [shlex.split(line, comments=True) for line in block[1].splitlines()]
    assert all(command[:2] == ["pip", "install"] for command in commands)
    return [command[1:] for command in commands]


def install_as_on_the_pages(sources: Path, venv: Path) -> None:
    """Run the commands of the pages, in the sources.

    A command for another index, which has PyTorch's builds, is resolved and not carried out; it is
    left out where there is no such index.

    Raises:
        PackageError: the pages say different commands.
    """
    commands, others = (commands_of(sources / page) for page in PAGES)
    if commands != others:
        raise PackageError(f"{PAGES[0]} says {commands}, and {PAGES[1]} {others}")
    for command, *arguments in commands:
        options = ["--dry-run"] if "--index-url" in arguments else []
        run = [UV, "pip", command, "--quiet", "--python", venv, *options, *arguments]
        environment = {**os.environ, "UV_HTTP_RETRIES": "0"} if options else None
        done = subprocess.run(
            run, cwd=sources, env=environment, stderr=subprocess.PIPE, text=True, check=False
        )
        if options and "error sending request" in done.stderr:
            print(f"not reached, so not tried: {shlex.join(arguments)}", flush=True)
        elif done.returncode:
            raise PackageError(f"pip {command} {shlex.join(arguments)}: {done.stderr}")


def tried(release: str, wheel: Path, sources: Path, venv: Path, extras: str) -> None:
    """Install Penstock on a release of Python, and run tests and commands there."""
    binaries, outside = venv / "bin", wheel.parent
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}

    def run(*command: str | Path, output: int | None = None) -> None:
        started = [binaries / command[0], *command[1:]]
        subprocess.check_call(started, cwd=outside, env=environment, stdout=output)

    def works() -> None:
        run("penstock", "--version")
        run("python", "-c", f"import penstock; assert {str(venv)!r} in penstock.__file__")
        run("penstock", "doctor", output=subprocess.DEVNULL)  # its status says whether all works

    install_as_on_the_pages(sources, venv)
    works()
    install = [UV, "pip", "install", "--quiet", "--python", venv]
    subprocess.check_call([*install, f"penstock[{extras}] @ {wheel.as_uri()}", *TOOLS])
    works()
    smoke = sources / "tests" / "smoke"
    options = ("--noconftest", "-q", "-p", "no:cacheprovider", "--import-mode=importlib")
    run("pytest", *options, "--confcutdir", smoke, smoke)  # or else the sources would be a package


def environment_with_releases() -> dict[str, str]:
    """Return the environment in which uv finds the releases of Python that pyenv has."""
    if not shutil.which("pyenv"):
        return dict(os.environ)
    releases = subprocess.check_output(["pyenv", "versions", "--bare"], text=True).split()
    return {**os.environ, "PYENV_VERSION": ":".join(releases)}


def main() -> int:
    """Build and try the packages; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("releases", nargs="*", help="of Python, such as 3.12")
    parser.add_argument("--extras", required=True, help="of the package, separated by commas")
    parser.add_argument("--builds", type=Path, default=ROOT / ".venv" / "packages")
    options = parser.parse_args()
    builds = options.builds.resolve()
    sources, wheel = build(builds)
    compare(sources, wheel)
    print(f"{wheel.name} has what the checkout has", flush=True)
    make = [UV, "venv", "--quiet", "--clear", "--no-python-downloads", "--python"]
    environment = environment_with_releases()
    for release in options.releases:
        venv = builds / release
        if subprocess.call([*make, release, venv], env=environment, stderr=subprocess.DEVNULL):
            print(f"Python {release} is not on this machine: not tried", flush=True)
            continue
        print(f"Python {release}", flush=True)
        tried(release, wheel, sources, venv, options.extras)
    return 0


if __name__ == "__main__":
    sys.exit(main())
