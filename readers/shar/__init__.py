"""Shar, the sharded format of lhotse: cuts as JSON lines, and an archive for each field.

folder  the files of a data set, and the lines of its cuts
fields  the data of a field, cut by cut: pairs in tar archives, verified against the cuts
audio   the recordings, and the manifest that `fn.readers.nemo_asr` reads them by
"""
