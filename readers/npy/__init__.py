"""Arrays in NumPy's formats, whole or regions of them.

From the arguments of `fn.readers.numpy` to the elements of a batch there are two paths. Files that
are expected to be like the last one take the short path. If one of them is not, the batch takes the
planned path.

    arguments    reader         `NumpyReader` checks them
       |         array_list     which files, and which members of archives, hold the arrays
       |         region         which elements of each sample are read (`Regions`); pure
     source      source         `NumpySource`: the storage that a reader has
       |         sample_regions which part of which array each sample is
       |
       |-- expected_header      short path: header and elements of each file by one or two calls
       |
       '-- planned path:
           opening              opens arrays: their files and headers (`OpenArray`)
           form_groups          samples whose arrays have one form are planned together
           plan                 which byte ranges hold a region (`RangeGrid`); pure
           region_reads         the byte ranges in a file: read in place (`DirectRange`), or read
                                together and picked out (`StagedRanges`)
           reads                preadv, in as many threads as pay; requests for remote files
           member_checksums     the CRC-32 of members that were read as a whole

Either path may have large regions copied by `mapped_copies`: out of mapped files, by a process that
may be lost. On the planned path, `gds` reads straight into GPU memory where `gds_support` finds
GPUDirect Storage.

A *region* is the elements asked for of one array. A *run* is bytes of it that lie side by side in
the file. A *byte range* is one read: a run, or several runs and the bytes between them.
"""
