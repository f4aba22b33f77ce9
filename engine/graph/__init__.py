"""The graph of a pipeline, and the operators that it is made of.

params            the arguments of operators: types, defaults, conversion
context           the parts of a sample's work and of a batch that operators may use
limits            the names of limits, by which operators say what would lift them
operator_base     the base of all operators: their declaration, and what the engine asks of them
operator          the classes that operators derive from, and the table of all operators
user_calls        users' code that processes of a pipeline call for an operator
inputs            the two roles of inputs: seekable readers, and sources that user code feeds
declaration       signatures and docstrings made from an operator's class
row_arguments     arguments and errors of single samples, for work on a whole batch
rules             what an operator declares besides its arguments: inputs, batches, sequences, GPU
sequences         which data an operator gets frame by frame
derivation        what follows from the layouts of a node's data
index_keys        keys such as `node[1:, ..., None]`, taken apart
portable          arguments as JSON, for pipelines that are stored
node_arithmetic   the Python operators of nodes
node_values       the values of nodes whose operators run at once
node_devices      on which device an operator runs and reads its data
copies            the operator that moves batches between host and device
branches          the two sides of an `if`, and the samples that take them
branch_operators  truth values, merged data and assertions
constants         numbers and arrays as nodes
callers           the line of the user's program, in errors and in warnings
nodes             the graph: nodes, and the `DataNode`s between them
other_layouts     the nodes of a pipeline for other layouts than those of its definition
functions         operators as functions that add nodes to the graph
namespaces        modules whose members are operators, such as `fn.readers`
constant_nodes    `types.Constant`
"""
