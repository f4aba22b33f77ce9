"""Small definitions in which `if` depends on data; `lib` is NVIDIA DALI or Penstock.

Samples are the numbers 0, 1, 2 and 3, or the truth values True, False, True and False.
"""

# ruff: noqa: SIM108, RET503, RUF034  (the statements are what is tested)

from __future__ import annotations

import contextlib

import numpy as np


def numbers(lib):
    return lib.fn.external_source(
        lambda _: [np.array(each, dtype=np.int32) for each in range(4)], batch=True
    )


def truths(lib):
    return lib.fn.external_source(
        lambda _: [np.array(each) for each in (True, False, True, False)], batch=True
    )


def if_else(lib):
    x = numbers(lib)
    if x % 2 == 0:
        y = x * 10
    else:
        y = -x
    return y


def if_without_else(lib):
    x = numbers(lib)
    if x > 1:
        x = x + 100
    return x


def undefined_in_else(lib):
    x = numbers(lib)
    if x > 1:
        y = x + 100
    return y


def early_return(lib):
    x = numbers(lib)
    if x > 1:
        return x
    return -x


def return_in_one_branch(lib):
    x = numbers(lib)
    if x > 1:
        return x


def elif_chain(lib):
    x = numbers(lib)
    if x == 0:
        y = x
    elif x == 1:
        y = x * 10
    elif x == 2:
        y = x * 100
    else:
        y = x * 1000
    return y


def other_dtype(lib):
    x = numbers(lib)
    if x > 1:
        y = lib.fn.cast(x, dtype=lib.types.FLOAT)
    else:
        y = x
    return y


def other_ndim(lib):
    x = numbers(lib)
    if x > 1:
        y = lib.fn.stack(x, x)
    else:
        y = x
    return y


def other_shape(lib):
    x = numbers(lib)
    if x > 1:
        y = lib.fn.stack(x, x)
    else:
        y = lib.fn.stack(x, x, x)
    return y


def other_layout(lib):
    x = lib.fn.stack(numbers(lib), numbers(lib))
    if numbers(lib) > 1:
        y = lib.fn.reinterpret(x, layout="X")
    else:
        y = lib.fn.reinterpret(x, layout="Y")
    return y


def constants(lib):
    if truths(lib):
        y = 1
    else:
        y = 2
    return y


def constants_of_two_types(lib):
    if truths(lib):
        y = 1
    else:
        y = 2.5
    return y


def arrays(lib):
    if truths(lib):
        y = np.array([1, 2])
    else:
        y = np.array([1, 2, 3])
    return y


def vector_as_condition(lib):
    if lib.fn.stack(numbers(lib), numbers(lib)):
        y = 1
    else:
        y = 2
    return y


def one_element_as_condition(lib):
    if lib.fn.stack(truths(lib)):
        y = 1
    else:
        y = 2
    return y


def int_as_condition(lib):
    if numbers(lib):
        y = 1
    else:
        y = 2
    return y


def float_as_condition(lib):
    if numbers(lib) * 0.5:
        y = 1
    else:
        y = 2
    return y


def logic(lib):
    x = numbers(lib)
    return (x > 0) and (x < 3), (x > 2) or (x < 1), not (x > 1)


def int_left_of_and(lib):
    x = numbers(lib)
    return x and (x < 3)


def int_right_of_and(lib):
    x = numbers(lib)
    return (x < 3) and x


def not_int(lib):
    return not numbers(lib)


def and_true(lib):
    return (numbers(lib) > 0) and True


def true_and(lib):
    return True and (numbers(lib) > 0)


def chained_comparison(lib):
    x = numbers(lib)
    if 0 < x < 3:
        y = 1
    else:
        y = 0
    return y


def conditional_expression(lib):
    x = numbers(lib)
    return x * 10 if x > 1 else -x


def dicts(lib):
    x = numbers(lib)
    if x > 1:
        d = {"a": x, "b": x + 1}
    else:
        d = {"a": -x, "b": x - 1}
    return d["a"], d["b"]


def dicts_that_differ(lib):
    x = numbers(lib)
    if x > 1:
        d = {"a": x, "b": x + 1}
    else:
        d = {"a": -x}
    return d["a"]


def nested_tuples(lib):
    x = numbers(lib)
    if x > 1:
        a, c = x, (x + 1, [x])
    else:
        a, c = -x, (x - 1, [x * 2])
    return a, c[0], c[1][0]


def tuple_or_node(lib):
    x = numbers(lib)
    if x > 1:
        a = (x, x)
    else:
        a = x
    return a


def none_that_is_not_used(lib):
    x = numbers(lib)
    if x > 1:
        a = None
    else:
        a = x  # noqa: F841
    return x


def nested(lib):
    x = numbers(lib)
    if x > 0:
        if x > 1:
            y = x * 100
        else:
            y = x * 10
    else:
        y = x
    return y


def random_numbers(lib):
    if truths(lib):
        y = lib.fn.random.uniform(range=[0, 1])
    else:
        y = lib.fn.random.uniform(range=[10, 11])
    return lib.fn.cast(y > 5, dtype=lib.types.INT32)


def loop(lib):
    x = numbers(lib)
    for k in range(3):
        if x > k:
            x = x + 1
        else:
            x = x - 1
    return x


def while_on_data(lib):
    x = numbers(lib)
    while x < 3:
        x = x + 1
    return x


def loop_over_data(lib):
    total = 0
    for number in numbers(lib):
        total = total + number
    return total


def assertion(lib):
    x = numbers(lib)
    assert x >= 0
    return x


def attribute(lib):
    x = numbers(lib)

    class Holder:
        pass

    o = Holder()
    o.v = x
    if x > 1:
        o.v = x * 2
    else:
        o.v = x
    return o.v


def element(lib):
    x = numbers(lib)
    values = [x]
    if x > 1:
        values[0] = x * 2
    else:
        values[0] = x
    return values[0]


def local_function(lib):
    def helper(v):
        if v > 1:
            return v * 2
        return v

    return helper(numbers(lib))


def lambda_function(lib):
    f = lambda v: v * 2 if v > 1 else v  # noqa: E731
    return f(numbers(lib))


def list_comprehension(lib):
    x = numbers(lib)
    values = [x * k if x > k else x for k in range(2)]
    return values[0], values[1]


def branch_that_nobody_takes(lib):
    def condition():
        return lib.fn.external_source(lambda _: [np.array(True)] * 4, batch=True)

    if condition():
        y = numbers(lib)
    else:
        y = numbers(lib) * lib.fn.python_function(numbers(lib), function=lambda a: 1 / 0)
    return y


def permuted(lib):
    x = numbers(lib)
    if x > 0:
        y = lib.fn.permute_batch(x, indices=lib.fn.batch_permutation())
    else:
        y = x
    return lib.fn.cast(y > 0, dtype=lib.types.INT32)


def source_in_branch(lib):
    if truths(lib):
        y = lib.fn.external_source(lambda _: [np.array(k) for k in range(4)], batch=True)
    else:
        y = lib.fn.external_source(lambda _: [np.array(-k) for k in range(4)], batch=True)
    return y


def source_info(lib):
    x = lib.fn.copy(numbers(lib))
    if x > 1:
        y = x
    else:
        y = x + 1
    return lib.fn.get_property(y, key="source_info")


def bool_of_data(lib):
    x = numbers(lib)
    return x if bool(x) else x


def in_list(lib):
    return numbers(lib) in [1, 2]


def left_alone(lib):
    @lib.pipeline.do_not_convert
    def helper(v):
        return v * 2 if v > 1 else v

    return helper(numbers(lib))


def raising(lib):
    x = numbers(lib)
    if x > 1:
        raise ValueError("in a branch")
    return x


def in_try(lib):
    x = numbers(lib)
    try:
        if x > 1:
            y = x * 2
        else:
            y = x
    finally:
        pass
    return y


def in_with(lib):
    x = numbers(lib)
    with contextlib.nullcontext():
        if x > 1:
            y = x * 2
        else:
            y = x
    return y


def data_as_arguments(lib):
    x = numbers(lib)
    data = lib.fn.random.uniform(range=[0, 1], shape=[4, 4, 3])
    if x > 1:
        position = lib.fn.cast(x, dtype=lib.types.FLOAT) * 0.1
        y = lib.fn.crop(data, crop=[2, 2], crop_pos_x=position)
    else:
        y = lib.fn.crop(data, crop=[3, 3])
    return y.shape()


WORK_IN_BOTH = (
    if_else,
    if_without_else,
    early_return,
    elif_chain,
    other_shape,
    constants,
    arrays,
    int_as_condition,
    float_as_condition,
    logic,
    not_int,
    and_true,
    true_and,
    chained_comparison,
    dicts,
    nested_tuples,
    none_that_is_not_used,
    nested,
    random_numbers,
    loop,
    attribute,
    element,
    local_function,
    branch_that_nobody_takes,
    permuted,
    source_in_branch,
    source_info,
    in_try,
    in_with,
    data_as_arguments,
)

FAIL_IN_BOTH = {
    undefined_in_else: (RuntimeError, r"'y' must also be initialized in the `else` branch"),
    return_in_one_branch: (RuntimeError, r"The `else` branch must also have a return statement"),
    other_dtype: (Exception, r"Divergent data"),
    other_ndim: (Exception, r"Divergent data"),
    other_layout: (Exception, r"Divergent data"),
    constants_of_two_types: (Exception, r"Divergent data"),
    vector_as_condition: (Exception, r"Got a 1-d input as a condition of the `if` statement"),
    one_element_as_condition: (Exception, r"Got a 1-d input as a condition of the `if` statement"),
    int_left_of_and: (Exception, r"Logical expression `and` is restricted to scalar"),
    int_right_of_and: (Exception, r"Logical expression `and` is restricted to scalar"),
    dicts_that_differ: (ValueError, r"'If' output structure"),
    tuple_or_node: (ValueError, r"same nesting structure"),
    while_on_data: (TypeError, r"DataNode"),
    loop_over_data: (TypeError, r"not iterable|iter"),
    bool_of_data: (TypeError, r"DataNode"),
    in_list: (TypeError, r"DataNode"),
    left_alone: (TypeError, r"DataNode"),
    raising: (ValueError, r"in a branch"),
}

WORK_HERE = {
    conditional_expression: [[0, -1, 20, 30]],
    assertion: [[0, 1, 2, 3]],
    lambda_function: [[0, 1, 4, 6]],
    list_comprehension: [[0, 0, 0, 0], [0, 1, 2, 3]],
}
