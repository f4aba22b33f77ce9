"""Workers that are threads: they leave their turns to those that replace them, and end."""

from ....readers.processes import assert_soon
from ...toys import Affine, Numbers, call, make, rows_of


def test_threads_that_are_replaced_leave_their_turns_and_end():
    def batches(*, replace):
        with make(lambda: call(Affine, call(Numbers)[0]), num_threads=2) as pipe:
            found = [rows_of(pipe.run())]
            if replace:
                workers = pipe._run.executor._workers
                first, second = workers._crew, workers._new_threads()
                workers._replace(second)
                second.grow(2)
            found += [rows_of(pipe.run()) for _ in range(10)]
            if replace:
                assert_soon(lambda: pipe.run() and not any(t.is_alive() for t in first.threads))
                assert all(thread.is_alive() for thread in second.threads)
        return [[row.tolist() for row in output] for outputs in found for output in outputs]

    assert batches(replace=True) == batches(replace=False)
