"""The number of connections to a device, which CUDA reads from the environment when it starts."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PROGRAM = "import os, penstock; print(os.environ['CUDA_DEVICE_MAX_CONNECTIONS'])"


@pytest.mark.parametrize(("given", "used"), [(None, "32"), ("1", "1")])
def test_import_asks_for_connections_unless_the_user_does(given, used):
    environment = {k: v for k, v in os.environ.items() if k != "CUDA_DEVICE_MAX_CONNECTIONS"}
    if given is not None:
        environment["CUDA_DEVICE_MAX_CONNECTIONS"] = given
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, check=True, capture_output=True, text=True
    )
    assert run.stdout.strip() == used
