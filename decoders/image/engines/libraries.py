"""The libraries of the extra `images`: files that few data sets have need them."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from ....engine.errors import MissingDependencyError, install_hint

_DISTRIBUTIONS = {"PIL": "Pillow", "pillow_heif": "pillow-heif"}


def load(module: str, format_name: str) -> ModuleType:
    """Return a module, which prints nothing: its failures are errors here.

    Args:
        module: such as "imagecodecs" or "PIL.Image".
        format_name: name of the format of the file that needs it.

    Raises:
        MissingDependencyError: the library is not installed.
    """
    import logging  # only what needs these libraries pays for the import

    top = module.partition(".")[0]
    try:
        library = import_module(module)
    except ImportError as error:
        raise MissingDependencyError(
            f"decoding this {format_name} needs {_DISTRIBUTIONS.get(top, top)}, which cannot be "
            f"loaded ({error}): {install_hint('images')}",
            name=error.name,
        ) from error
    log = logging.getLogger(top)
    if not log.handlers:  # a program's handlers stay
        log.addHandler(logging.NullHandler())
    return library
