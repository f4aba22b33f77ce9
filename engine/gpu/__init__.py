"""CUDA devices, for the engine and for operators.

driver        the version of NVIDIA's driver, found without CuPy
kernels       CUDA sources with their macros and structs
tables        tables of C structs, one struct a sample, that kernels read
cupy_module   CuPy, and the kernels that it compiles
small_memory  small pieces of memory, cut out of common blocks
device        memory, copies and kernel launches on one stream
host_registry  host memory that kernels read over the bus
launch        launches in which blocks divide the elements of a sample
rehearsal_device  a device that computes nothing and names the kernels to launch
gpu_device    the device that the device stage drives: streams, events, pinned memory
"""
