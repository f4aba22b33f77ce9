"""Members of a pipeline that programs for DALI call, and that have nothing to do here."""

from __future__ import annotations

from typing import Any


class AcceptedMembers:
    """Methods of a `Pipeline` without effect, and facts that are the same for all pipelines."""

    def release_outputs(self) -> None:
        """Do nothing: memory is recycled when the last reference to it is dropped."""

    def enable_api_check(self, enable: bool) -> None:
        """Do nothing: `run` and the calls that it consists of may be mixed freely."""

    def output_stream(self) -> None:
        """Return None: outputs are complete, so no stream has work for them left."""

    def external_source_shm_statistics(self) -> dict[str, list[Any]]:
        """Return no capacities: Python workers write to the memory of batches, which grows.

        Returns:
            the keys "capacities" and "per_sample_capacities", each with an empty list.
        """
        return {"capacities": [], "per_sample_capacities": []}
