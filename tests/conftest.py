"""Files that all tests share, made on the first use and kept in `fixtures/data`.

The generator in `fixtures/` is no part of the installed package, so `from penstock.fixtures`
would hold only for a checkout that happens to be first on the path. It is loaded from its path
instead, under a name of its own. Tests take what it makes through the fixtures below, and other
parts of it through the fixture `generator`.

Parallel test processes wait for one another on a lock file. What is made is shared: tests that
need to change a file copy it to `tmp_path` first.
"""

from __future__ import annotations

import gc
import importlib.util
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

import penstock
from penstock.engine.graph.operator import OPERATORS
from penstock.engine.run import run_threads
from penstock.engine.run.workers.choice import Chooser
from penstock.readers.storage.index_cache import cache_paths
from penstock.readers.storage.opening import open_storage

if TYPE_CHECKING:
    from penstock.fixtures.generate import BadFile, CocoTree, PhotoTree, ZooImage

pytest_plugins = ["penstock.testing.fixtures"]

# A busy machine is no failure, and what passes once passes again: the same examples are drawn each
# time, and more of them would prove little more. PENSTOCK_EXPLORE=1 draws many others.
EXPLORE = os.environ.get("PENSTOCK_EXPLORE") == "1"
settings.register_profile(
    "steady",
    deadline=None,
    derandomize=not EXPLORE,
    max_examples=200 if EXPLORE else 32,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("steady")

# Else the first test process that uses JAX takes three quarters of the GPU's memory, to its end.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
# A shell that starts the suite in the background has it, and its children, ignore interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the choice of one test of each file."""
    parser.addoption("--quick", action="store_true", help="the first fast test of each file")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With --quick, keep the first test of each file that is not marked as slow."""
    if config.getoption("quick"):
        firsts: dict[Path, pytest.Item] = {}
        for item in items:
            if item.get_closest_marker("slow") is None:
                firsts.setdefault(item.path, item)
        kept = set(firsts.values())
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = firsts.values()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Keep the collector of garbage from what the collection of tests leaves, millions of objects.

    Else each `gc.collect()` of a test takes half a second or more.
    """
    gc.disable()
    result = yield
    gc.freeze()
    gc.enable()
    return result


_ROOT = Path(__file__).resolve().parent.parent
# The source distribution has no links: there, `penstock.tests` is found by this.
penstock.__path__.append(str(_ROOT))
OPERATORS.complete()  # for tests of each operator in the table


@pytest.fixture(scope="session", autouse=True)
def _cache_folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep indexes of the tests' files out of the user's cache folder."""
    os.environ["XDG_CACHE_HOME"] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture
def user_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the test a cache folder of its own; return the folder of the indexes in it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / ".cache"))
    return tmp_path / ".cache" / "penstock"


def kept_index(path: Path | str) -> Path:
    """Return the file that holds the index of a data file, in the cache folder."""
    return cache_paths(open_storage(path))[0]


_GENERATOR = _ROOT / "fixtures" / "generate.py"


@pytest.fixture
def importable_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Python workers that are new interpreters import the functions of test modules.

    Workers are new interpreters, and no forks, if other tests have left threads. The last place on
    the path keeps packages of the checkout from hiding others of the same name.
    """
    monkeypatch.setattr(sys, "path", [*sys.path, str(_ROOT)])


@pytest.fixture(scope="session")
def generator() -> ModuleType:
    """The module `fixtures/generate.py`."""
    name = "penstock_test_pictures"
    spec = importlib.util.spec_from_file_location(name, _GENERATOR)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def image_zoo(generator: ModuleType) -> dict[str, ZooImage]:
    """One small file of every form of image, by name, with its shape and true pixels."""
    zoo: dict[str, ZooImage] = generator.image_zoo(generator.DATA / "images")
    return zoo


@pytest.fixture(scope="session")
def bad_files(generator: ModuleType) -> dict[str, BadFile]:
    """Broken, misnamed and hostile files, by name, with what a decoder can make of them."""
    bad: dict[str, BadFile] = generator.bad_files(generator.DATA / "bad")
    return bad


@pytest.fixture(scope="session")
def photo_tree(generator: ModuleType) -> PhotoTree:
    """A class-folder tree of 8 times 8 photographs, with files, labels and shapes."""
    tree: PhotoTree = generator.photo_tree(generator.DATA / "tree")
    return tree


@pytest.fixture(scope="session")
def coco_tree(generator: ModuleType) -> CocoTree:
    """A COCO data set of 12 small images, with annotation files and their folders."""
    tree: CocoTree = generator.coco_tree(generator.DATA / "coco")
    return tree


@pytest.fixture(scope="session", autouse=True)
def _steady() -> Iterator[None]:
    """Keep the machine's load out of verdicts, unless a test tunes otherwise.

    Work stays in threads, where tests may replace functions. A thread that does not stop is an
    error, and a kernel that is compiled beside other programs stops within a minute.
    """
    with pytest.MonkeyPatch.context() as patch:
        limits = Chooser.limits._replace(scaling_threads=sys.maxsize)
        patch.setattr(Chooser, "limits", limits)
        patch.setattr(run_threads, "JOIN_SECONDS", 60.0)
        yield


@pytest.fixture
def tuned(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Change constants of a module for one test: `tuned(module, JOIN_SECONDS=0.1)`."""

    def change(module: ModuleType, **values: Any) -> None:
        for name, value in values.items():
            monkeypatch.setattr(module, name, value)

    return change


@pytest.fixture
def limited(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Change limits of a rule's holder for one test: `limited(ReadWindow, seconds=1.0)`."""

    def change(holder: Any, **values: Any) -> None:
        monkeypatch.setattr(holder, "limits", holder.limits._replace(**values))

    return change
