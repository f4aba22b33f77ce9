"""Files, local or remote, and the records in them.

urls         URLs and paths told apart; URLs shown without their secrets
opening      the storage of a path or a URL, and small files as a whole
storage      `Storage`: the byte ranges of one file
local_file   a file of the local file system as a storage
local_reads  its reads: bytes in the page cache first, then those from the disk
descriptors  open files, shared by all readers and bounded in number
read_team    the threads that help readers to copy
read_plan    the reads that fetch a set of byte ranges; pure
records      records in several files as one sequence
lookahead    a few bytes here and there, from the front of a file to its end
file_object  a storage as a file object
strings      millions of byte strings in two blocks of memory
kept         remote objects whose bytes are kept once they were fetched as a whole
index_cache  arrays that are computed from a file once, and kept for later runs
block_cache  decoded blocks of files, of which the last ones are kept
damage       files that cannot be read to their end, or not at all
rescue       records behind the damage
claims       sizes that files and servers claim, against the memory of this machine
"""
