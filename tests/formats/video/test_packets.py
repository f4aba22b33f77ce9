import io

from penstock.formats.video.library import open_container
from penstock.formats.video.packets import read_facts

from ...videos import video_bytes


def test_facts_of_packets():
    data = video_bytes("vp9.webm", count=9, group=4)
    facts = read_facts(*open_container(io.BytesIO(data)))
    assert [fact.time for fact in facts] == [0, 33, 67, 100, 133, 167, 200, 233, 267]
    assert [i for i, fact in enumerate(facts) if fact.is_key] == [0, 4, 8]
    assert all(fact.duration == 33 and not fact.is_hidden for fact in facts)
    assert all(data[fact.offset] for fact in facts)


def test_packets_that_an_edit_list_hides():
    data = video_bytes(start=-500, muxer={"avoid_negative_ts": "disabled"})
    facts = read_facts(*open_container(io.BytesIO(data)))
    assert len(facts) == 30
    assert {fact.time < 0 for fact in facts if fact.is_hidden} == {True}
    assert sum(fact.is_hidden for fact in facts) == 5
