"""The graph of a pipeline, and the operators that it is made of.

params         the arguments of operators: types, defaults, conversion
operator       the base classes of operators, and the table of all operators
inputs         the two roles of inputs: seekable readers, and sources that user code feeds
declaration    signatures and docstrings made from an operator's class
index_keys     keys such as `node[1:, ..., None]`, taken apart
node_arithmetic   the Python operators of nodes
node_devices   on which device an operator runs and reads its data
nodes          the graph: nodes, and the `DataNode`s between them
constants      numbers and arrays as nodes
"""
