"""Small operators, and what tests of the engine do with them again and again."""

from __future__ import annotations

import threading
import weakref

import numpy as np

from penstock import Pipeline, SourceError
from penstock.engine import closing
from penstock.engine.graph.functions import apply
from penstock.engine.graph.inputs import FedInput
from penstock.engine.graph.operator import BatchOperator, SampleOperator
from penstock.engine.graph.params import ANY, BOOL, FLOAT, INT, INTS, REQUIRED, STR, param
from penstock.engine.graph.rules import Input
from penstock.readers.reader import Reader


class NumbersSource:
    """Sample i is the number i, `side` times (or 1 to 3 times); label i is i."""

    def __init__(self, size, side, ragged, bad, error):
        self.size, self.side, self.ragged = size, side, ragged
        self.bad, self.error = frozenset(bad), error
        self.closed = 0

    def __len__(self):
        return self.size

    def read(self, indices, allocate):
        for index in indices.tolist():
            if index in self.bad:
                raise self.error(f"sample {index} is broken")
        labels = indices.astype(np.int32)
        if self.ragged:
            return [np.full(1 + i % 3, i, np.int64) for i in indices.tolist()], labels
        data = allocate((len(indices), self.side), np.int64)
        data[:] = indices[:, None]
        return data, labels

    def where(self, index):
        return f"numbers/{index}"

    def close(self):
        self.closed += 1


class Numbers(Reader):
    """Reads the numbers from 0 on, and the same as labels."""

    name = "toy.numbers"
    outputs = 2
    size = param(INT, 20, "How many.")
    side = param(INT, 3, "How often a number is repeated.")
    ragged = param(BOOL, False, "Whether number i is repeated 1 + i % 3 times.")
    bad = param(INTS, (), "Samples that cannot be read.")
    error = param(ANY, SourceError, "What a bad sample raises.")

    def open_source(self):
        return NumbersSource(self.size, self.side, self.ragged, self.bad, self.error)

    def placeholder(self):
        return np.zeros(1 if self.ragged else self.side, np.int64), np.int32(-1)


class Feed(FedInput):
    """Data from the user: `source(number)` returns batch `number` of its epoch."""

    name = "toy.feed"
    source = param(ANY, None, "What is called for each batch; None: data come by `feed`.")

    def open(self, batch_size, state):
        self.fed = []
        self.count = 0 if state is None else state
        self.batches = {}

    def available(self):
        return len(self.fed) if self.source is None else None

    def feed(self, data, layout, cuda_stream):
        self.fed.append(np.asarray(data))

    def fetch(self, number, batch_size):
        data = self.fed.pop(0) if self.source is None else self.source(self.count)
        self.count += 1
        self.batches[number] = data
        return len(data)

    def batch(self, batch):
        return self.batches.pop(batch.number)

    def reset(self):
        self.count = 0

    def snapshot(self):
        return self.count


class Affine(SampleOperator):
    """a * x + b."""

    name = "toy.affine"
    inputs = ("x",)
    a = param(FLOAT, 1.0, "Factor.", per_sample=True)
    b = param(FLOAT, 0.0, "Summand.", per_sample=True)

    def sample(self, workspace, x, *, a, b):
        out = workspace.empty(x.shape, np.float64)
        np.multiply(x, a, out=out)
        out += b
        return out


class Add(SampleOperator):
    """x + y, computed by way of two scratch buffers."""

    name = "toy.add"
    inputs = ("x", "y")

    def sample(self, workspace, x, y):
        shape = np.broadcast_shapes(x.shape, y.shape)
        one, two = workspace.scratch(shape, np.float64), workspace.scratch(shape, np.float64)
        one[...], two[...] = x, y
        return one + two


class Noise(SampleOperator):
    """x and the sum of three random numbers that are the sample's own."""

    name = "toy.noise"
    inputs = ("x",)
    random_count = 3

    def sample(self, workspace, x):
        out = workspace.empty(x.shape, np.float64)
        np.add(x, workspace.random.sum(), out=out)
        return out


class Split(SampleOperator):
    """(x, 2 * x): the first is a view of the input, the second lies in scratch memory."""

    name = "toy.split"
    inputs = ("x",)
    outputs = 2

    def sample(self, workspace, x):
        double = workspace.scratch(x.shape, np.float64)
        np.multiply(x, 2, out=double)
        return x[...], double


class Reverse(SampleOperator):
    """x back to front, as a view."""

    name = "toy.reverse"
    inputs = ("x",)

    def sample(self, workspace, x):
        return x[::-1]


class Total(SampleOperator):
    """The sum of x, a 0-d array in memory of the row."""

    name = "toy.total"
    inputs = ("x",)

    def sample(self, workspace, x):
        out = workspace.empty((), np.float64)
        out[...] = x.sum()
        return out


class Call(SampleOperator):
    """Whatever `function(row, *inputs)` returns."""

    name = "toy.call"
    inputs = (Input("x", many=True),)
    function = param(ANY, REQUIRED, "What is called.")
    count = param(INT, 1, "Number of outputs.")
    layout = param(STR, "", "Layout of the outputs.")

    def num_outputs(self):
        return self.count

    def output_layouts(self):
        return (self.layout,) * self.count

    def sample(self, workspace, *x):
        return self.function(workspace, *x)


class BatchCall(BatchOperator):
    """Whatever `function(batch, *inputs)` returns."""

    name = "toy.batch_call"
    inputs = (Input("x", many=True),)
    function = param(ANY, REQUIRED, "What is called.")
    count = param(INT, 1, "Number of outputs.")

    def num_outputs(self):
        return self.count

    def batch(self, batch, *x):
        return self.function(batch, *x)


class BatchAffine(BatchOperator):
    """a * x + b, for a whole batch; `a` may vary by sample."""

    name = "toy.batch_affine"
    inputs = ("x",)
    a = param(FLOAT, 1.0, "Factor.", per_sample=True)
    b = param(FLOAT, 0.0, "Summand.")

    def batch(self, batch, x, *, a):
        factors = [a] * len(x) if isinstance(a, float) else [a.row(i).item() for i in range(len(x))]
        return [np.asarray(factors[i] * x.row(i) + self.b, np.float64) for i in range(len(x))]


class BatchNoise(BatchOperator):
    """A random number a sample, shape (1,)."""

    name = "toy.batch_noise"

    def batch(self, batch):
        return batch.random(self, 1)


def call(kind, *inputs, **arguments):
    """Add an operator to the graph, as `fn.<name>` does."""
    return apply(kind, inputs, arguments, arguments.pop("name", None))


def make(define, **options):
    """Make a pipeline of the graph that `define()` returns."""
    pipe = Pipeline(**{"batch_size": 4, "num_threads": 2, "seed": 11, **options})
    pipe.define(define)
    return pipe


def rows_of(batch):
    """Return copies of all rows of all outputs of a batch."""
    return [[np.array(output.row(i)) for i in range(len(output))] for output in batch]


def run(define, batches, **options):
    """Run a pipeline and return copies of the rows of its batches."""
    with make(define, **options) as pipe:
        return [rows_of(pipe.run()) for _ in range(batches)]


def assert_same(one, other):
    """Assert that nested lists of arrays are equal in structure, types, shapes and values."""
    assert len(one) == len(other)
    for a, b in zip(one, other, strict=True):
        if isinstance(a, list):
            assert_same(a, b)
        else:
            assert (a.shape, a.dtype) == (b.shape, b.dtype)
            np.testing.assert_array_equal(a, b)


_of_other_tests = weakref.WeakSet()


def disown_threads():
    """Leave the threads that are alive out of `own_threads`.

    Eager calls of other tests keep theirs, and those of their decoders, until the process ends.
    """
    _of_other_tests.update(threading.enumerate())


def own_threads():
    """Return the threads of all pipelines that are alive, but for those of eager calls.

    The closer is no pipeline's thread.
    """
    pipelines, eager = "penstock-", "penstock-eager-"
    return [
        thread
        for thread in threading.enumerate()
        if thread.name.startswith(pipelines) and not thread.name.startswith(eager)
        if thread.name != closing.THREAD_NAME
        if thread not in _of_other_tests
    ]
