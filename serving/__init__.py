"""Pipelines as servers: requests bring samples, and get the pipeline's outputs.

requests          requests of samples, and their errors
signature         names, types and dimensions of a model's inputs and outputs
examples          made-up samples, which show the types of the outputs
model             a pipeline that computes requests in batches
tensor_data       the data of tensors in requests
open_inference    the messages of the Open Inference Protocol
model_config      the configuration of a model, as Triton has it
model_statistics  what a server has answered so far
admission         how many requests and bytes a server has at a time
connections       how many connections there are, and how long one may stay silent
bodies            the bodies of requests and responses, read and sent
batcher           batches of the requests that wait
http_server       the HTTP server
repository        a pipeline as a model in a repository of Triton
triton_model      what such a model does inside of Triton
triton_server     Triton's own server, if one is installed
"""
