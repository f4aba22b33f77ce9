"""Sessions of the optical flow engine: their buffers, and which of them stay."""

from __future__ import annotations

import pytest

from penstock.engine.errors import PenstockError
from penstock.operators.optical_flow import flow_session
from penstock.operators.optical_flow.flow_session import (
    FlowKind,
    FlowSession,
    limits_of,
    session_of,
)

KIND = FlowKind(width=96, height=64, channels=3, grid=4, hint_grid=0, level=5)


def test_what_the_engine_can_do(gpu_device, flow_engine):
    limits = limits_of(gpu_device)
    assert 4 in limits.grids
    assert 4 in limits.hint_grids
    assert limits.width[0] <= 96 <= limits.width[1]
    assert limits.height[0] <= 64 <= limits.height[1]
    assert limits_of(gpu_device) is limits


@pytest.mark.parametrize(("frame_bytes", "count"), [(0, 2), (3 * 96 * 64 * 4, 3), (1 << 30, 5)])
def test_the_number_of_buffers(gpu_device, flow_engine, tuned, frame_bytes, count):
    tuned(flow_session, MAX_FRAMES=5, MAX_FRAME_BYTES=frame_bytes)
    session = FlowSession(gpu_device, FlowKind(96, 64, 3, 4, 8, 5))
    assert [len(session.frames), len(session.fields), len(session.hints)] == [
        count,
        *[count - 1] * 2,
    ]
    assert not FlowSession(gpu_device, KIND).hints
    assert len({buffer.address for buffer in session.frames}) == count
    assert all(buffer.pitch >= 4 * 96 for buffer in session.frames)


@pytest.mark.parametrize("limit", ["MAX_SESSIONS", "MAX_HELD_BYTES"])
def test_the_sessions_used_last_stay(gpu_device, flow_engine, tuned, limit):
    kinds = [FlowKind(64, height, 1, 4, 0, 5) for height in (34, 33, 32)]
    first, second = (session_of(gpu_device, kind) for kind in kinds[:2])
    assert first.nbytes >= 64 * 34 * len(first.frames) + 16 * 9 * 4 * len(first.fields)
    most = {"MAX_SESSIONS": 2, "MAX_HELD_BYTES": first.nbytes + second.nbytes}
    tuned(flow_session, **{limit: most[limit]})
    assert session_of(gpu_device, kinds[0]) is first
    third = session_of(gpu_device, kinds[2])  # in the place of the second
    assert session_of(gpu_device, kinds[0]) is first
    assert session_of(gpu_device, kinds[2]) is third
    assert session_of(gpu_device, kinds[1]) is not second
    gpu_device.own.clear()


def test_a_kind_that_the_engine_refuses(gpu_device, flow_engine):
    with pytest.raises(PenstockError, match=r"nvOFInit failed with INVALID_PARAM \(5\)"):
        FlowSession(gpu_device, FlowKind(8, 8, 3, 4, 0, 5))
    if flow_engine:
        flow_engine.wait_until_unused()
