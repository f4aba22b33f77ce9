"""The machine that runs a graph of operators. It knows no file format and no image geometry.

Each room imports only rooms that stand above it in this list:

    errors, suggestions   the exception tree; how messages name alternatives
    order/                which samples make up a batch, and every random number
    tensors/              batches and the memory that they lie in, on the host and on a device
    gpu/                  CUDA: a device, its stream, its kernels
    graph/                operators, their arguments, and the nodes of a pipeline's definition
    work/                 the plan of a graph, and a batch on its way through the plan
    processes/            further interpreters that do the work of threads
    run/                  the pipeline: threads, queues and stages that run a plan
"""
