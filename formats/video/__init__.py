"""Video files, through PyAV: which frames a file has.

library.py       PyAV, or the error that says how to install it
frame_index.py   the times of all frames and key frames, read without decoding
packets.py       what packets say of their frames
recovery.py      where decoding may start, and what is shown, by the codec's own bytes
numbered_packets.py  packets that times do not tell apart
known_files.py   states of files, and the indexes that this process has read
selection.py     which frames a clip has, and what replaces frames that the video lacks
sound_arguments.py  the arguments of operators whose outputs have sound

`decoders/video` decodes the frames.
"""
