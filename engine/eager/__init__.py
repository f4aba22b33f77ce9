"""Operators that run at once, without a pipeline, or with the definition called for each batch.

call_record   the operators of a definition, matched from call to call
eager         one operator that runs at once, without a pipeline
eager_faults  the error policy of operators that run one by one
eager_graph   a graph whose operators run when they are called
eager_inputs  the inputs of such a graph, and the samples of its batches
eager_runner  the memory, threads and GPU of operators that run at once
given_data    batches of the program as nodes
"""
