"""Test suites for extensions: for operators, readers, writers, iterators and more.

A suite is a class. A test class inherits the suite, and names what it tests:

    >>> import numpy as np
    >>> from penstock.testing.operators import OperatorConformance
    >>> class TestFlip(OperatorConformance):
    ...     operator = "flip"
    ...     inputs = ([np.full((4, 5 + i, 3), 50 * i, np.uint8) for i in range(3)],)
    >>> TestFlip().test_rows_agree_in_dtype_dimensions_and_layout()

The suites need pytest. Each stands in a module of its own: `operators`, `readers`, `writers`,
`decoders` and `iterators`. `fixtures` is a plugin for pytest, which a `conftest.py` names:

    pytest_plugins = ["penstock.testing.fixtures"]

The fixture `device` of this plugin runs a test on the CPU and on the GPU. Where there is no GPU,
`emulator` takes its place: g++ compiles the kernels for the host. docs/extending.md shows a test of
each kind. `beside` compares the batches of any pipeline beside queued work with those that it gives
alone. The suites themselves need `agreement`, `descriptors`, `made`, `moved_axes` and
`odd_numbers`.
"""
