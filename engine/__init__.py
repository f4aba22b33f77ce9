"""The machine that runs a graph of operators. It knows no file format and no image geometry.

Each room imports only rooms that stand above it in this list:

    arrays       the types of arrays that signatures name most
    printable    text that comes from data, made harmless for terminals
    errors       the exception tree
    suggestions  how messages name alternatives
    pending      results of what is under way: waited for, or cancelled
    machine      the cores and the memory that there are
    threads      threads that stay and wait for calls
    closing      the end of what became garbage, in a thread of its own
    uninterrupted  work that no signal's handler interrupts
    control      what steers a running pipeline: rules, and what they read
    ranks        which process of the run this one is
    order        which samples make up a batch, and every random number
    tensors      batches and the memory that they lie in, on the host and on a device
    gpu          CUDA: a device, its stream, its kernels
    graph        operators, their arguments, and the nodes of a pipeline's definition
    conditions   definitions in which `if` depends on data
    types        the values that pipelines are written with
    backend      tensors, and calls for the memory of all pipelines
    work         the plan of a graph, and a batch on its way through the plan
    processes    further interpreters that do the work of threads
    run          threads, queues and stages that run a plan, batch by batch
    eager        operators that run at once, without a pipeline
    pipeline     the pipeline, as users define and hold it
"""
