"""Rewritten functions do with Python's values what the functions do as they are written."""

# ruff: noqa: RET503  (the statements are what is tested)

from __future__ import annotations

import contextlib
import inspect
import json
import linecache
import sys
import traceback

import pytest

from penstock.engine.conditions import runtime


def returns_in_branches(a, b):
    """A docstring."""
    if a > 1:
        if b > 1:
            return "both"
    elif b == 0:
        return "none"
    a += 10
    if a > 12:
        return a, b
    return -a


def returns_in_loops(a, b):
    for i in range(5):
        if i == a:
            continue
        if i > b:
            return i
        for j in range(3):
            if j == b:
                break
        else:
            a += 100
    return a


def returns_in_try(a, b):
    log = []
    try:
        if a == 0:
            raise KeyError(a)
        if b == 0:
            return "zero", log
        log.append("body")
    except KeyError:
        if b > 1:
            return "handled", log
        log.append("handler")
    else:
        log.append("else")
    finally:
        log.append("finally")
    return log


def returns_in_with(a, b):
    with contextlib.suppress(ZeroDivisionError):
        if a > 0:
            return a / b
        a = 7
    return a, b


def falls_off_the_end(a, b):
    if a:
        if b:
            return a
    elif b:
        return None


def unbound(a, b):
    if a:
        x = 1
    if b:
        y = 2
    return x + y


def logic(a, b):
    log = []

    def seen(value):
        log.append(value)
        return value

    result = (seen(a) and seen(b)) or not seen(a)
    return result, 0 < seen(a) < seen(b), a if a > b else b, log


def walrus(a, b):
    if (n := a + b) > 2 and (m := n * 2):
        return n, m
    return n


def closures(a, b):
    total = a

    def add(n):
        nonlocal total
        if n > 0:
            total += n
        return total

    doubled = [add(k) if k != a else -k for k in range(b)]
    return doubled, total, (lambda x, *, y=a: x if y else b)(5)


def matches(a, b):
    match (a, b):
        case (0, _):
            return "first"
        case (_, n) if n > 1:
            if a > 1:
                return n
            result = [n]
        case _:
            result = None
    return result


def generator(a, b):
    def numbers():
        for i in range(b):
            if i % 2 == a % 2:
                yield i
            else:
                _ = yield -i

    return list(numbers())


def deletes(a, b):
    values = {"a": a}
    x = b
    if a > 1:
        del x
        values["b"] = b
        del values["a"]
    else:
        values["a"] += 1
    return values, "x" in locals()


def asserts(a, b):
    assert a < 3, f"{a} is too large"
    return b


COUNT = 0


def changes_a_global(a, b):
    global COUNT
    COUNT = a
    if b > 1:
        COUNT += b
    return COUNT


def changes_attributes(a, b):
    class Holder:
        value = 1

    holder, values = Holder(), [0, 0, 0]
    if a:
        holder.value = b
        values[a % 3] += b
        holder.other = a
    return holder.value, values, getattr(holder, "other", None)


class Base:
    def scale(self, value):
        return value * 3


class Derived(Base):
    __factor = 2

    def scale(self, value):
        if value > 1:
            return super().scale(value) * self.__factor
        return (value and super().scale(value)) or self.__factor

    @classmethod
    def made(cls, value, /, other=5, *rest, key=7, **more):
        return cls.__name__ if value else (other, rest, key, more)

    def __call__(self, value):
        return self.scale(value) if value else None


def methods(a, b):
    return Derived().scale(a), Derived.made(a, b), Derived.made(0, key=b), Derived()(b)


FUNCTIONS = [
    value
    for value in list(globals().values())
    if inspect.isfunction(value) and value.__module__ == __name__
]


def outcome(function, *args):
    try:
        return function(*args)
    except Exception as error:
        return type(error), str(error).partition("\n")[0]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: each.__name__)
def test_python_s_values(function):
    new = runtime.converted(function)
    assert new.__code__ is not function.__code__
    assert new.__doc__ == function.__doc__
    for a in range(4):
        for b in range(4):
            assert outcome(new, a, b) == outcome(function, a, b)


def test_recursion_and_functions_that_are_called():
    def factorial(n):
        return n * factorial(n - 1) if n > 1 else 1

    def define(values):
        return [*map(factorial, values)], sorted(values, key=lambda v: -v), len(values)

    assert runtime.converted(define)([3, 4]) == ([6, 24], [4, 3], 2)


def sum_of_nested(values):
    return sum(map(sum_of_nested, values)) if isinstance(values, list) else values


def test_functions_of_a_module_call_themselves():
    assert runtime.converted(sum_of_nested)([1, [2, 3], [[4]]]) == 10


def test_long_chains():
    lines = ["def chain(a):", "    if a == 0:", "        return 0"]
    lines += [f"    elif a == {i}:\n        return {i}" for i in range(1, 60)]
    namespace = compiled("\n".join(lines), "chain")
    assert [runtime.converted(namespace)(a) for a in (0, 33, 59, 60)] == [0, 33, 59, None]


def compiled(text, name):
    file = f"<{name}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    namespace = {"__name__": "program"}
    exec(compile(text, file, "exec"), namespace)
    return namespace[name]


def test_tracebacks_show_the_user_s_lines():
    def helper(a):
        if a > 1:
            raise ValueError("at this line")
        return a

    def define(a):
        return helper(a) if a else None

    with pytest.raises(ValueError, match="at this line") as caught:
        runtime.converted(define)(2)
    frames = traceback.extract_tb(caught.value.__traceback__)
    own = [(frame.name, frame.lineno) for frame in frames if frame.filename == __file__][1:]
    first = helper.__code__.co_firstlineno
    assert own[0][0] == "define"
    assert own[-1] == ("helper", first + 2)


def test_code_is_made_once():
    def define(a):
        return a if a else 0

    first, second = runtime.converted(define), runtime.converted(define)
    assert first.__code__ is second.__code__
    assert runtime.converted(first) is first


def test_what_is_not_rewritten():
    assert runtime.converted(json.dumps) is json.dumps
    assert runtime.converted(len) is len
    assert runtime.converted(Derived) is Derived
    assert runtime.converted(runtime.value) is runtime.value
    assert runtime.converted(5) == 5
    made: dict = {}
    exec("def no_source(a):\n    return a if a else 1", made)
    assert runtime.converted(made["no_source"]) is made["no_source"]
    assert "numpy" not in sys.modules or runtime.converted(sys.modules["numpy"].mean)


def test_annotations_of_nested_functions_are_not_evaluated():
    def define(a):
        def inner(b: NotThere) -> NeitherThere:  # noqa: F821
            return b if b else a

        return inner(a)

    assert runtime.converted(define)(3) == 3
