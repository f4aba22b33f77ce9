"""Readers of several sources in one order: `fn.readers.mix` and `fn.readers.balance`.

members     the reader calls that a mixture is made of
parts       the base of both readers: parts of sources, and how many samples each gives
from_file   sources that a file lists, such as a metadataset of Energon
streams     sources that MosaicML's streaming lists
input_cfg   sources that an `input_cfg` of NeMo lists
reader      `fn.readers.mix`: each part is a reader, or a part of one
balance     `fn.readers.balance`: the parts are the samples of one label
pack        `fn.readers.pack`: the samples of one reader, several in a row
source      the samples of all sources, as one source
"""
