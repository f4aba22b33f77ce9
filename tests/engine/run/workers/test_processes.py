"""Workers that are processes: the size of their turns."""

from penstock.engine.run.workers.processes import MAX_TURN_ROWS, ProcessCrew


def test_a_process_computes_several_rows_in_a_turn():
    crew = ProcessCrew(4, *[None] * 6)
    assert [crew.rows_per_turn(n) for n in (2, 32, 256)] == [1, 8, MAX_TURN_ROWS]
