"""A public constant that is a number has one meaning: its name has no second value elsewhere."""

import ast
from collections import defaultdict
from pathlib import Path

from penstock.tests.checkout import PACKAGE

FOLDERS = ("engine", "readers", "decoders", "operators", "formats", "geometry", "signals")
FOLDERS += ("composite", "auto_aug", "datasets", "plugin", "serving", "cli", "testing")
# Names with two values. The list may only shrink.
EXCEPTIONS = {
    "ALIGNMENT",
    "BLOCK",
    "BYTES_AT_ONCE",
    "CHUNK_BYTES",
    "COLUMNS",
    "END_SECONDS",
    "FOOTER",
    "GRAY",
    "HEADER",
    "HEADERS_TOGETHER",
    "LARGEST",
    "LONGEST",
    "MAGIC",
    "MAX_ATTEMPTS",
    "MAX_BLOCKS",
    "MAX_FRACTION_OF_LIMIT",
    "MAX_FRAMES",
    "MAX_GROWTH",
    "MAX_HELD_BYTES",
    "MAX_PIXELS",
    "MAX_SAMPLES",
    "MAX_THREADS",
    "MIN_ARENA_BYTES",
    "MOST_BYTES",
    "MOST_PIXELS",
    "PART_BYTES",
    "PIECE_BYTES",
    "SAMPLES_AT_ONCE",
    "SIGNATURE_BYTES",
    "SLACK",
    "TWO_THREADS_BYTES",
    "VERSION",
    "WAIT_SECONDS",
}


def value_of(node: ast.expr) -> object:
    """Return the value of an expression of numbers; None of any other."""
    allowed = ast.Constant, ast.BinOp, ast.UnaryOp, ast.Tuple, ast.operator, ast.unaryop, ast.Load
    if not all(isinstance(part, allowed) for part in ast.walk(node)):
        return None
    constants = [part.value for part in ast.walk(node) if isinstance(part, ast.Constant)]
    if not constants or not all(type(value) in (int, float) for value in constants):
        return None
    return eval(compile(ast.Expression(node), "", "eval"), {})


def constants(path: Path) -> dict[str, object]:
    """Return the public numbers of a module, by name."""
    found = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        value = getattr(node, "value", None)
        if len(targets) == 1 and isinstance(targets[0], ast.Name) and isinstance(value, ast.expr):
            number = value_of(value)
            if number is not None and not targets[0].id.startswith("_"):
                found[targets[0].id] = number
    return found


def test_no_name_has_two_values():
    values = defaultdict(set)
    for folder in FOLDERS:
        for path in (PACKAGE / folder).rglob("*.py"):
            for name, value in constants(path).items():
                values[name].add(repr(value))
    several = {name for name, found in values.items() if len(found) > 1}
    new = {name: sorted(values[name]) for name in sorted(several - EXCEPTIONS)}
    assert not new, (
        f"public constants of one name must have one number, but these have several: {new}; "
        "name a new constant otherwise, import it, or begin its name with _"
    )
    gone = sorted(EXCEPTIONS - several)
    assert not gone, f"these names have one number again: {gone}; remove them from EXCEPTIONS"
