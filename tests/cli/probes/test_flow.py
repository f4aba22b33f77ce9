"""The probe of NVIDIA's optical flow engine; `tests/gpu/test_doctor.py` has it on a GPU."""

import pytest

from penstock.cli.probes import flow
from penstock.cli.probes.finding import Context
from penstock.engine.errors import MissingDependencyError, PenstockError
from penstock.operators.optical_flow import engine_library
from penstock.operators.optical_flow.flow_session import FlowLimits


@pytest.fixture
def engine(monkeypatch):
    """Return a function that says what the engine answers."""
    monkeypatch.setattr(flow, "load_library", lambda: None)

    def answer(limits):
        def ask():
            if isinstance(limits, Exception):
                raise limits
            return limits

        monkeypatch.setattr(flow, "_limits", ask)

    return answer


def test_an_engine_that_answers(engine):
    engine(FlowLimits((1, 2, 4), (8,), (32, 8192), (32, 4096)))
    found = flow.flow_engine(Context())
    assert found.status == "ok"
    assert found.detail == "a vector for 1x1, 2x2, 4x4 pixels, frames up to 8192x4096"


def test_a_container_without_the_driver_s_library(monkeypatch):
    monkeypatch.setattr(engine_library, "_NAMES", ("libnowhere.so",))
    found = flow.flow_engine(Context())
    assert (found.status, found.detail) == ("missing", "no libnvidia-opticalflow.so.1")
    assert "NVIDIA_DRIVER_CAPABILITIES" in found.remedy


@pytest.mark.parametrize(
    ("error", "status"),
    [(MissingDependencyError("no engine here"), "missing"), (PenstockError("it fails"), "broken")],
)
def test_errors_are_shown(engine, error, status):
    engine(error)
    found = flow.flow_engine(Context())
    assert found.status == status
    assert str(error) in found.detail
