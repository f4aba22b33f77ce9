"""Pipelines as servers: requests bring samples, and get the pipeline's outputs.

`model` is a pipeline that computes requests in batches. `signature` tells its inputs and outputs,
and `open_inference` reads and writes the messages of the Open Inference Protocol. `http_server`
answers them, and `batcher` forms the batches. `repository` writes a pipeline as a model of
NVIDIA Triton, `triton_model` runs there, and `triton_server` starts a Triton that is installed.
"""
