"""Pipelines of one batch, for the tests of operators that decode images."""

from __future__ import annotations

import numpy as np

from penstock import fn, pipeline_def


def run(files, graph, **options):
    """Decode files as one batch; return the samples of each output of `graph(encoded)`."""

    @pipeline_def(batch_size=len(files), **{"num_threads": 2, "seed": 11, **options})
    def pipeline():
        encoded, _ = fn.readers.file(files=files)
        return graph(encoded)

    with pipeline() as pipe:
        return [[np.array(output.at(i)) for i in range(len(files))] for output in pipe.run()]
