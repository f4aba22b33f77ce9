"""The pipeline, as users define, hold, feed, store and draw it.

    Definition -> Built -> Run     the values behind a `Pipeline`, each made of those before it

definition           `pipeline_def`
graph_definition     `Definition`: arguments, graph and outputs
built                `Built`: the plan, with inputs that are open
run                  `Run`: the executor and its memory, and what was scheduled and has ended
debug_run            `DebugRun`: the definition runs anew for each batch
progress             where the run stands: what was delivered and restored
rank_comparison      whether the other ranks read the same data
staged_pipeline      the part of a pipeline that has the values, and makes one of the other
properties           the read-only properties of a pipeline
fed_batches          batches that a server feeds, each with an end of its own
resumable_pipeline   the members of a pipeline that make checkpoints
ranked_pipeline      the members of a pipeline that concern the other ranks of a run
serialized_pipeline  the members of a pipeline that store its definition
serialized_graph     the graph of a pipeline as JSON
serialized_file      the file of a stored pipeline
drawn_pipeline       the members of a pipeline that draw its graph
graph_picture        the graph of a pipeline as a picture or a tree
accepted_members     members of a pipeline that have nothing to do
pipeline             `Pipeline`: a graph, run batch by batch ahead of its consumer
shown_options        the arguments of a pipeline in docstrings and signatures
outputs              the outputs that a pipeline may return
debug_pipeline       a pipeline in debug mode
"""
