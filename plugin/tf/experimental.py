"""Names of DALI: data sets that feed a pipeline."""

from __future__ import annotations

from .dataset import DALIDataset
from .inputs import Input

__all__ = ["DALIDatasetWithInputs", "Input"]

DALIDatasetWithInputs = DALIDataset
