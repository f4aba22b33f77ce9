"""Names of DALI: data sets that feed a pipeline."""

from .dataset import DALIDataset
from .inputs import Input

__all__ = ["DALIDatasetWithInputs", "Input"]

DALIDatasetWithInputs = DALIDataset
