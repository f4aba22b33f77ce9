import io

import numpy as np
import pytest
from PIL import Image

from penstock.operators.filters.gpu_jpeg import quantization_tables


@pytest.mark.parametrize("quality", [1, 20, 49, 50, 51, 90, 100])
def test_tables_are_those_of_libjpeg(quality):
    file = io.BytesIO()
    Image.new("RGB", (8, 8)).save(file, "JPEG", quality=quality)
    wanted = Image.open(io.BytesIO(file.getvalue())).quantization
    for table, number in zip(quantization_tables(np.array([quality])), (0, 1), strict=True):
        assert table[0].tolist() == list(wanted[number])
