from penstock.operators.reductions.axis_groups import axis_groups


def test_neighbors_of_one_role_form_a_group():
    def groups(ndim, axes):
        return [(g.axes.start, g.axes.stop, g.reduced) for g in axis_groups(ndim, axes)]

    assert groups(0, ()) == []
    assert groups(3, ()) == [(0, 3, False)]
    assert groups(3, (0, 1, 2)) == [(0, 3, True)]
    assert groups(4, (0, 2, 3)) == [(0, 1, True), (1, 2, False), (2, 4, True)]
