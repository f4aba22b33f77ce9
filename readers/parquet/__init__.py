"""Tables: Parquet files, and Arrow files as the library `datasets` saves them.

library       PyArrow
paths         the files of folders, with several splits
table_file    the contract of a file that holds a table in blocks of rows
parquet_file  Parquet files: a block is a row group
arrow_file    Arrow files: a block is a record batch
features      the names of classes in the metadata of a schema
blocks        the rows of several files: their blocks, of which the last ones are kept
columns       the rules by which columns become outputs
stored_types  the types of columns, and what they stand for
arrow_arrays  the places of the values of Arrow's arrays in memory
values        the samples that are made of values
nested        the samples that are made of lists of files, and of what becomes JSON
linked_files  files that a table names by path, in place of holding their bytes
whole_columns  lengths and labels of all rows, for orders that need them
source        rows as samples
reader        `fn.readers.parquet`
"""
