"""MDS, the shards of MosaicML's streaming.

index_file    `index.json`: the shards, their columns and checksums
shard_files   the samples of the shards, whose tables are read when their turn comes
inflated      shards that are compressed as a whole
columns       the encodings of columns, and what they become
source        samples as outputs
reader        `fn.readers.mds`
"""
