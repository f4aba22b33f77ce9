"""Tar archives of the WebDataset format.

reader        `fn.readers.webdataset`
shards        the archives that paths stand for, and what is known of them
energon       the metadata of NVIDIA's Megatron-Energon: splits, exclusions, counts
source        samples whose components are byte ranges of files
walked        archives that are opened when one of their samples is first needed
opener        what opens one archive: the whole of it, or its front
following     threads that have the next archives fetched
notices       what is fetched before it is needed, why, and what the user can do
choosing      the components that become outputs, and their types
text_numbers  numbers that components hold as decimal text
dali_index    the index files of DALI
"""
