"""The states of inputs, and the file that holds them."""

from __future__ import annotations

import numpy as np

from penstock.engine.run.checkpointing import input_states, snapshots, write_file

from ..toys import Feed, Numbers, call, make


def test_readers_compute_their_state_and_sources_are_asked():
    pipe = make(lambda: (call(Feed, name="x"), call(Numbers, name="z")[0]))
    pipe.build()
    plan = pipe._as_built().plan
    states = input_states(plan, 2, {"x": 7})
    assert states["x"] == 7
    assert states["z"] == plan.readers[0].operator.state_after(2)
    assert input_states(plan, 0, {})["x"] is None


def test_snapshots_are_those_of_sources():
    pipe = make(lambda: (call(Feed, name="x", source=lambda n: np.zeros((4, 1))), call(Numbers)[0]))
    pipe.run()
    assert set(snapshots(pipe._as_built().plan)) == {"x"}
    pipe.close()


def test_a_file_is_replaced_as_a_whole(tmp_path):
    path = tmp_path / "state"
    path.write_bytes(b"old")
    write_file(path, b"new")
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]
