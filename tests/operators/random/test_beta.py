import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.operators.random.beta import Beta
from penstock.tests.operators.goodness import kolmogorov
from penstock.tests.operators.running import batch_of, dense, per_batch

# Distribution functions that have a closed form.
KNOWN = {
    (1, 1): lambda x: x,
    (0.5, 0.5): lambda x: 2 / np.pi * np.arcsin(np.sqrt(x)),
    (4, 1): lambda x: x**4,
    (1, 0.25): lambda x: 1 - (1 - x) ** 0.25,
    (2, 2): lambda x: 3 * x**2 - 2 * x**3,
}


def draw(size=2000, number=0, **arguments):
    data = {k: v for k, v in arguments.items() if hasattr(v, "row")}
    constants = {k: v for k, v in arguments.items() if k not in data}
    operator = Beta("cpu", tuple(data), (), **constants)
    return operator.batch(batch_of(size, number=number), **per_batch(operator, data)).as_array()


@pytest.mark.parametrize(("alpha", "beta"), KNOWN)
def test_distribution(alpha, beta):
    numbers = draw(shape=10, alpha=alpha, beta=beta, dtype=np.float64).ravel()
    assert kolmogorov(numbers, KNOWN[alpha, beta]) < 1.95


def test_large_arguments_concentrate():
    numbers = draw(alpha=3e4, beta=1e4)
    assert numbers.dtype == np.float32
    assert abs(numbers.mean() - 0.75) < 1e-3
    assert 0.5 < numbers.std() / np.sqrt(0.75 * 0.25 / 4e4) < 2


def test_small_arguments_stay_in_range():
    numbers = draw(alpha=1e-3, beta=1e-3)
    assert np.isfinite(numbers).all()
    assert ((numbers < 0.01) | (numbers > 0.99)).mean() > 0.95


def test_arguments_by_sample():
    numbers = draw(2, alpha=dense([1e5, 1.0]), beta=dense([1.0, 1e5]))
    assert numbers[0] > 0.99
    assert numbers[1] < 0.01


def test_a_number_belongs_to_its_place():
    whole = draw(8, alpha=2.0)
    np.testing.assert_array_equal(whole[4:], draw(4, number=1, alpha=2.0))
    assert len(set(whole.tolist())) == 8


@pytest.mark.parametrize("name", ["alpha", "beta"])
def test_not_above_0(name):
    with pytest.raises(ArgumentError, match=f"{name}.* above 0"):
        draw(**{name: 0.0})
