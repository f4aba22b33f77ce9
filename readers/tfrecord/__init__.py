"""TFRecord files and the examples in them.

From a file to the columns of a batch:

    file       framing        the frames of records, and crc32c: their checksums
     |         index          the extents of the records
     |         unpacked_file  compressed files, with unpacked_cache: the folder of unpacked ones
    records    reader         `fn.readers.tfrecord`, and its storage
     |         example_batch  the features of many records located at once, by patterns
     |         example        one record at a time, where patterns do not fit
     |         sequence       the feature lists of `SequenceExample`
    columns    columns        arrays out of located features, as `features` declares them

`encoding` writes examples.
"""
