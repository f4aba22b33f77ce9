"""The pipeline, as users define, hold, feed, store and draw it.

definition           `pipeline_def`
pipeline_base        what the parts of `Pipeline` share
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
pipeline             `Pipeline`: a graph, run batch by batch ahead of its consumer
shown_options        the arguments of a pipeline in docstrings and signatures
outputs              the outputs that a pipeline may return
debug_pipeline       a pipeline whose definition runs anew for each batch
"""
