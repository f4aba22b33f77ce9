"""`Pipeline.checkpoint(ahead=)`: where a run stands after batches that nobody has computed."""

import numpy as np
import pytest

from penstock import ArgumentError, Pipeline, fn

from ...plugin.every_order import ORDERS, written


def _pipeline(name, folder):
    with Pipeline(16 if name == "batch_cost" else 3, 1, seed=1, exec_processes=False) as pipe:
        pipe.set_outputs(ORDERS[name](folder, random_shuffle=True))
    return pipe


@pytest.mark.parametrize("name", ORDERS)
def test_a_checkpoint_ahead_is_the_one_of_later(name, tmp_path):
    written(tmp_path)
    with _pipeline(name, tmp_path) as run, _pipeline(name, tmp_path) as other:
        run.run()
        ahead = [run.checkpoint(ahead=count) for count in (0, 1, 70)]
        later = [run.checkpoint()]
        for count in (1, 69):
            for _ in range(count):
                run.run()
            later.append(run.checkpoint())
        assert later == ahead
        other.restore(ahead[2])
        assert other.run()[0].as_array().tolist() == run.run()[0].as_array().tolist()


def test_the_place_of_a_source_is_known_once_it_was_called():
    with Pipeline(2, 1) as pipe:
        pipe.set_outputs(fn.external_source(lambda: np.zeros((2, 1)), batch=True))
        with pytest.raises(ArgumentError, match="0 with external sources"):
            pipe.checkpoint(ahead=1)
