"""Four devices of JAX on one CPU."""

from __future__ import annotations

import os
from typing import Any

import pytest

# JAX reads the variable when it first looks for devices, which no module does that is imported.
os.environ["XLA_FLAGS"] = (
    os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=4"
)


@pytest.fixture
def cpus() -> list[Any]:
    """Four devices, which share the CPU."""
    jax = pytest.importorskip("jax", reason="the plugin of JAX needs JAX")
    devices: list[Any] = jax.local_devices(backend="cpu")
    if len(devices) < 4:
        pytest.skip("JAX has looked for its devices before these tests were collected")
    return devices[:4]
