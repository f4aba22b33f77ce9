"""Threads that stay, for short pieces of work."""

import threading

from penstock.readers.process.team import Team


def test_several_may_ask_a_team():
    team, found = Team(3), [[], []]
    askers = [
        threading.Thread(target=team.do, args=(each.append, [(i,) for i in range(500)]))
        for each in found
    ]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    assert [sorted(each) for each in found] == [list(range(500))] * 2
    team.do(print, [])
