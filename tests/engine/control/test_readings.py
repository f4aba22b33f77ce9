"""Readings count between two looks, and say how much the consumer waited."""

from penstock.engine.control.readings import Readings


def test_readings_since_a_look():
    seen = Readings(50, 7, 40).since(Readings(10, 2, 20))
    assert seen == (40, 5, 20)
    assert seen.waiting == 0.5


def test_nothing_waits_in_no_time():
    assert Readings().waiting == 0.0
