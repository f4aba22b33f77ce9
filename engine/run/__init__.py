"""The pipeline: the calls of the user, and the threads that run a plan.

definition           `pipeline_def`
config               the arguments of a pipeline
policies             how operators may run side by side, for programs that ask
pipeline_base        what the parts of `Pipeline` share
pickling             functions that are pickled whole
properties           the read-only properties of a pipeline
current_pipeline     the pipeline that is being defined
fed_batches          batches that a server feeds, each with an end of its own
fed_pipeline         the members of a pipeline that give data to external sources
measured_pipeline    the members of a pipeline that tell what its work costs
resumable_pipeline   the members of a pipeline that make checkpoints
ranked_pipeline      the members of a pipeline that concern the other ranks of a run
serialized_pipeline  the members of a pipeline that store its definition
serialized_graph     the graph of a pipeline as JSON
serialized_file      the file of a stored pipeline
drawn_pipeline       the members of a pipeline that draw its graph
graph_picture        the graph of a pipeline as a picture or a tree
accepted_members     members of a pipeline that have nothing to do
random_keys          the keys of the operators' random numbers
pipeline             `Pipeline`: a graph, run batch by batch ahead of its consumer
opening              from a plan to open inputs and memory
shown_options        the arguments of a pipeline in docstrings and signatures
shutdown             the end of a pipeline, step by step
feeding              how users feed external sources, and how samples enter a batch
intake               batches are made, and inputs say which samples they have
forks                the end of a child process that user code has forked
checkpointing        the state of a running pipeline
outputs              the outputs that a pipeline may return
schedule             which batches start next, and whether one may start now
grouping             small batches of a GPU pipeline that are computed together
large_groups         whether larger groups than usual are faster
executor             makes the batches, and sends them from segment to segment
feeder               the thread that starts batches, and runs their batch segments
delivery             batches that are done, handed out in order
budget               whether memory suffices for one more batch
workers              threads and processes that run sample segments
device_stage         threads that launch GPU work and wait for it
debug_pipeline       a pipeline whose definition runs anew for each batch
eager                one operator that runs at once, without a pipeline
eager_graph          a graph whose operators run when they are called
eager_inputs         the inputs of such a graph, and the samples of its batches
eager_faults         the error policy of operators that run one by one
eager_runner         the memory, threads and GPU of operators that run at once
call_record          the operators of a definition, matched from call to call
given_data           batches of the program as nodes
rehearsal            kernels are compiled before the first batches need them
"""
