"""The threads that run a plan, batch by batch.

config         the arguments of a pipeline
policies       how operators may run side by side, for programs that ask
pickling       functions that are pickled whole
random_keys    the keys of the operators' random numbers
opening        from a plan to open inputs and memory
shutdown       the end of a pipeline, step by step
feeding        how users feed external sources, and how samples enter a batch
intake         batches are made, and inputs say which samples they have
forks          the end of a child process that user code has forked
checkpointing  the state of a running pipeline
schedule       which batches start next, and whether one may start now
grouping       small batches of a GPU pipeline that are computed together
executor       makes the batches, and sends them from segment to segment
feeder         the thread that starts batches, and runs their batch segments
delivery       batches that are done, handed out in order
budget         whether memory suffices for one more batch
workers        threads and processes that run sample segments
run_threads    the start and the end of all threads of a pipeline
gpu_work       what a pipeline has on the GPU: device, stage and rehearsal
device_stage   threads that launch GPU work and wait for it
rehearsal      kernels are compiled before the first batches need them
"""
