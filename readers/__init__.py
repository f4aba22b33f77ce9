"""Storage to encoded samples: one format, one folder. `table` names all readers.

listing/       paths, folders and lists   ->  the files of a data set
archives/      tar and zip files          ->  the members in them
storage/       paths and URLs             ->  byte ranges of files; remote/ has the services,
    |                                                                hub/ the names on the Hub
    |
source         the contract of a format: samples by their indices
    |          files/ npy/ fits/ coco/ video/ nemo/ tfrecord/ recordio/ webdataset/ lmdb/
    |          parquet/ mds/ boxes/ shar/; protobuf/ has the messages that some of them hold
reader         an operator: a source, and the sampler that says in which order it is read
    |          record_reader: processes may read; array_files: arrays of one form;
    |          costs: batches by cost; column_arguments: of parquet/ and mds/;
    |          sample_values: values that programs give; map_dataset: objects of Python as sources
mixture/       several readers in one order, and the labels of one in balance
reading/       the batches that are read together or ahead, and who reads; process/ has the
               programs of reading processes; block_reads and interrupt serve reading, too
"""
