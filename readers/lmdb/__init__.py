"""LMDB databases, read as bytes, and the data sets of Caffe and Caffe2 in them.

format          the head of a file: its two meta pages, and the records of its databases
tree            the extents of the records: the B+ tree, read level by level
entries         entries of a database: their values and keys
salvage         the whole samples of a damaged database
files           the records of several files as one sequence
reader          values as samples: `fn.readers.lmdb` and its storage
components      samples whose keys are names of files
caffe           `fn.readers.caffe`; datum: Caffe's messages
caffe2          `fn.readers.caffe2`; caffe2_samples: its samples; tensor_protos: its messages
"""
