"""Arrays in NumPy's formats, whole or regions of them.

From the arguments of `fn.readers.numpy` to the elements of a batch:

    arguments       reader         `NumpyReader` checks them
       |            array_list     which files, and which members of archives, hold the arrays
       |            opening        opens arrays: their files and headers (`OpenArray`)
    region          region         which elements of each sample are read (`Regions`); pure
       |            form_groups    samples whose arrays have one form are planned together
    plan            plan           which byte ranges hold a region (`RangeGrid`); pure
       |            region_reads   the byte ranges in a file: read in place (`DirectRange`), or read
       |                           together and picked out (`StagedRanges`)
    byte ranges
       |-- reads            preadv, in as many threads as pay; requests for remote files
       |-- mapped_copies    copies out of mapped files, by a process that may be lost
       |-- gds              straight into GPU memory (GPUDirect Storage)
       '-- expected_header  small files like the last one: header and elements in one call

`source` is the storage that a reader has (`NumpySource`); `batch_regions` reads batches of it.

A *region* is the elements asked for of one array. A *run* is bytes of it that lie side by side in
the file. A *byte range* is one read: a run, or several runs and the bytes between them.
"""
