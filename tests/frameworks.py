"""Tests of large frameworks, each in a virtual environment of its own.

    python tests/frameworks.py [--venvs .venv/frameworks] [--require] [framework ...]

What cannot be installed here is named and left out; with `--require` that is an error.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import sysconfig
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
TOOLS = ("pytest>=8,<10", "pytest-timeout>=2.3,<3", "pytest-xdist>=3.6,<4", "hypothesis>=6.100,<7")


class Framework(NamedTuple):
    """A framework.

    Attributes:
        extras: of the package, in pyproject.toml.
        packages: what the tests need besides.
        tests: their folders and files.
        alone: packages that are installed without what they ask for.
        processes: of pytest; 0 where the tests share a cluster.
        beside_tools: whether the environment has the packages of the developers' one, too, such as
            its build of PyTorch. Then only `alone` is installed.
    """

    extras: tuple[str, ...]
    packages: tuple[str, ...]
    tests: tuple[str, ...]
    alone: tuple[str, ...] = ()
    processes: int = 2
    beside_tools: bool = False


FRAMEWORKS = {
    "tensorflow": Framework(
        ("keras",), ("tensorflow-cpu>=2.18,<3",), ("tests/plugin/tensorflow", "tests/plugin/keras")
    ),
    "jax": Framework(
        ("jax", "jax-clu", "keras"),
        ("flax>=0.10,<1", "optax>=0.2,<1"),
        ("tests/plugin/jax", "tests/plugin/keras"),
    ),
    "paddle": Framework(("paddle",), (), ("tests/plugin/paddle",)),
    "ray": Framework(
        (),
        (),
        ("tests/plugin/ray",),
        ("pandas>=2.2,<4", "python-dateutil", "pytz", "six", "tensorboardX", "tzdata"),
        processes=0,
        beside_tools=True,
    ),
    "torchft": Framework(
        (),
        (),
        ("tests/plugin/torchft",),
        (
            "torchft>=0.2,<0.3",
            "googleapis-common-protos",
            "opentelemetry-api>=1.39",
            "opentelemetry-exporter-http-transport",
            "opentelemetry-exporter-otlp-common",
            "opentelemetry-exporter-otlp-proto-common>=1.39",
            "opentelemetry-exporter-otlp-proto-http>=1.39",
            "opentelemetry-proto>=1.39",
            "opentelemetry-sdk>=1.39",
            "opentelemetry-semantic-conventions",
        ),
        processes=0,
        beside_tools=True,
    ),
    "monai": Framework(
        (), (), ("tests/test_frameworks_page.py",), ("monai>=1.6,<1.7",), beside_tools=True
    ),
    "triton": Framework(
        ("pickle", "serve"),
        ("tritonclient[http]>=2.60,<3", "protobuf>=6.33.5,<8"),
        ("tests/plugin/triton",),
        ("nvidia-pytriton>=0.7,<0.8",),  # Triton's server; it declares NumPy < 2
    ),
}


def main() -> int:
    """Install and test each framework; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("frameworks", nargs="*", help=f"of {', '.join(FRAMEWORKS)}; default: all")
    parser.add_argument("--venvs", type=Path, default=ROOT / ".venv" / "frameworks")
    parser.add_argument("--require", action="store_true", help="a framework must be installable")
    options = parser.parse_args()
    if unknown := set(options.frameworks) - set(FRAMEWORKS):
        parser.error(f"no framework: {', '.join(sorted(unknown))}")
    lines, failed = [], False
    with ThreadPoolExecutor(1) as installer:  # waits for the network while tests run
        installations = {
            name: installer.submit(installed, FRAMEWORKS[name], options.venvs / name)
            for name in options.frameworks or FRAMEWORKS
        }
        for name, installation in installations.items():
            print(f"{name}: it is installed", flush=True)
            if reason := installation.result():
                lines.append(f"{name}: not tested, because it cannot be installed here: {reason}")
                failed |= options.require
                continue
            started = time.monotonic()
            status = tested(FRAMEWORKS[name], options.venvs / name / "bin" / "python")
            failed |= status != 0
            seconds = time.monotonic() - started
            lines.append(f"{name}: {'failed' if status else 'passed'}, {seconds:.0f} s")
    print("\n".join(lines))
    return int(failed)


def installed(framework: Framework, venv: Path) -> str:
    """Make the virtual environment; return why this is not possible, or ""."""
    uv = Path(sys.executable).with_name("uv")
    if not venv.exists():
        subprocess.check_call([uv, "venv", "--quiet", "--python", sys.executable, venv])
    extras = [part for extra in framework.extras for part in ("--extra", extra)]
    install = [uv, "pip", "install", "--quiet", "--python", venv]
    commands = [[*install, "-r", "pyproject.toml", *extras, *TOOLS, *framework.packages]]
    if framework.beside_tools:
        commands = []
        (folder,) = venv.glob("lib/python*/site-packages")
        tools = sysconfig.get_path("purelib")
        (folder / "tools.pth").write_text(f"{tools}\n", encoding="utf-8")
    if framework.alone:
        commands.append([*install, "--no-deps", *framework.alone])
    for command in commands:
        result = subprocess.run(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
        if result.returncode:
            return result.stderr.strip()
    return ""


def tested(framework: Framework, python: Path) -> int:
    """Run the tests; return the exit status."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PENSTOCK_TEST_FRAMEWORKS": "1"}
    command = [python, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider"]
    command += ["-n", str(framework.processes)]
    return subprocess.call([*command, *framework.tests], cwd=ROOT, env=environment)


if __name__ == "__main__":
    sys.exit(main())
