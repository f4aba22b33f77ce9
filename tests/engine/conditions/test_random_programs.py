"""Random programs with many `if`s: each sample has the values that Python gives for its numbers."""

from __future__ import annotations

import linecache
import random
from contextlib import nullcontext

import numpy as np
import pytest

from penstock import fn, pipeline_def

SAMPLES = 6
NAMES = "abcd"
RESULT = "a + b, c, d, o.v"


class Writer:
    """Writes the statements of one program."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def chosen(self, *weighted):
        """Return one of (weight, text or function that returns it)."""
        weights, values = zip(*weighted, strict=True)
        (value,) = self.random.choices(values, weights)
        return value() if callable(value) else value

    def name(self):
        return self.random.choice(NAMES)

    def number(self, depth):
        if depth <= 0:
            return self.name()
        inner = depth - 1
        return self.chosen(
            (3, self.name()),
            (2, str(self.random.randint(-3, 3))),
            (3, lambda: f"({self.number(inner)} {self.random.choice('+-*')} {self.number(inner)})"),
            (
                2,
                lambda: f"({self.number(inner)} if {self.truth(inner)} else {self.number(inner)})",
            ),
            (1, lambda: f"helper({self.number(inner)}, {self.number(inner)})"),
        )

    def truth(self, depth):
        compared = (
            f"{self.name()} {self.random.choice(['<', '>', '==', '!=', '<='])} "
            f"{self.random.choice([*NAMES, '1', '2'])}"
        )
        if depth <= 0:
            return compared
        inner = depth - 1
        return self.chosen(
            (5, compared),
            (1, lambda: f"({self.truth(inner)} and {self.truth(inner)})"),
            (1, lambda: f"({self.truth(inner)} or {self.truth(inner)})"),
            (1, lambda: f"(not {self.truth(inner)})"),
            (1, f"({self.name()} < {self.name()} <= {self.name()})"),
            (1, "flag"),
        )

    def assignment(self):
        return self.chosen(
            (6, lambda: f"{self.name()} = {self.number(2)}"),
            (2, lambda: f"{self.name()} += {self.number(1)}"),
            (1, lambda: f"o.v = {self.number(1)}"),
            (1, f"{self.name()} = o.v + values[0]"),
            (1, lambda: f"values[0] = {self.number(1)}"),
            (1, lambda: f"{self.name()}, {self.name()} = {self.number(1)}, {self.number(1)}"),
        )

    def block(self, depth, indent, may_return):
        lines = []
        space = "    " * indent
        for _ in range(self.random.randint(1, 3)):
            kind = self.random.random() if depth else 0
            if kind < 0.45:
                lines.append(space + self.assignment())
            elif kind < 0.8:
                lines += self.branches(depth - 1, indent, may_return)
            elif kind < 0.88:
                lines.append(f"{space}for i in range({self.random.randint(0, 3)}):")
                lines += self.block(depth - 1, indent + 1, may_return=None)
            elif kind < 0.93:
                lines.append(f"{space}with nullcontext():")
                lines += self.block(depth - 1, indent + 1, may_return=None)
            elif may_return:
                return [*lines, f"{space}return {RESULT}"]
        return lines or [f"{space}pass"]

    def branches(self, depth, indent, may_return):
        heads = [f"if {self.truth(2)}:"]
        if self.random.random() < 0.3:
            heads.append(f"elif {self.truth(1)}:")
        if self.random.random() < 0.5:
            heads.append("else:")
        lines = []
        for head in heads:
            lines.append("    " * indent + head)
            lines += self.block(depth, indent + 1, may_return is not None)
        return lines

    def program(self):
        return [
            "def helper(x, y):",
            f"    if {self.random.choice(['x > y', 'x == 0'])}:",
            "        return x - y",
            f"    return {self.random.choice(['y', 'x + 1', 'y * 2'])}",
            "def define(a, b, c, flag):",
            "    class Holder: pass",
            "    o, values, d = Holder(), [c], a * 0",
            "    o.v = b",
            *self.block(3, 1, may_return=False),
            f"    return {RESULT}",
        ]


def compiled(seed):
    lines = [f"{line}\n" for line in Writer(seed).program()]
    file = f"<program {seed}>"
    linecache.cache[file] = sum(map(len, lines)), None, lines, file
    names = {"__name__": "program", "nullcontext": nullcontext}
    exec(compile("".join(lines), file, "exec"), names)
    return names["define"]


def source(values):
    return fn.external_source(lambda: values)


@pytest.mark.parametrize("seed", range(24))
def test_the_values_are_python_s(seed):
    program = compiled(seed)
    data = np.random.default_rng(seed).integers(-3, 4, (3, SAMPLES)).astype(np.int32)
    flag = bool(seed % 2)
    with np.errstate(over="ignore"):
        expected = [
            [np.int32(each) for each in program(*map(np.int32, row), flag)]
            for row in data.T.tolist()
        ]

    @pipeline_def(batch_size=SAMPLES, num_threads=2, debug=seed % 6 == 5, enable_conditionals=True)
    def define():
        return program(*map(source, data), flag)

    with define() as pipe:
        outputs = pipe.run()
    assert [[output.at(i) for output in outputs] for i in range(SAMPLES)] == expected
