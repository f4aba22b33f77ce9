"""A pipeline behind PyTorch's `DataLoader`: workers load, and one pipeline computes.

The transform of a data set calls `server.proxy` with the inputs of a sample, in any process, and
gets a placeholder. The inputs come to the main process with the batch. There one pipeline computes
whole batches, and `DataLoader` puts the outputs in place. So there is one pipeline, and at most one
CUDA context, whatever the number of workers.

    with proxy.DALIServer(pipeline) as server:
        images = ImageFolder("photos", transform=server.proxy, loader=read)
        for data, target in proxy.DataLoader(server, images, batch_size=64, num_workers=8):
            ...
"""

from .loader import DataLoader
from .placeholders import DALIOutputBatchRef, DALIOutputSampleRef, collate_outputs
from .server import DALIServer

__all__ = [
    "DALIOutputBatchRef",
    "DALIOutputSampleRef",
    "DALIServer",
    "DataLoader",
    "collate_outputs",
]

_collate_dali_output_sample_ref_fn = collate_outputs  # the name in programs for DALI
