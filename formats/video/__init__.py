"""Video files, through PyAV: which frames a file has, each frame by its number, sound by time.

library.py       PyAV, or the error that says how to install it
frame_index.py   the times of all frames and key frames, read without decoding
packets.py       what packets say of their frames
recovery.py      where decoding may start, and what is shown, by the codec's own bytes
numbered_packets.py  packets that times do not tell apart
contexts.py      decoders of streams
decoder_pool.py  decoders that go from one video to the next, on the GPU too
frames.py        decoding of single frames by their numbers
pictures.py      decoded frames as arrays of RGB, gray or YCbCr
selection.py     which frames a clip has, and what replaces frames that the video lacks
colors.py        matrices from the colors of videos to RGB and YCbCr
sound.py         the audio track by time
stamps.py        which samples the frames of a track hold, by rounded time stamps
sound_arguments.py  the arguments of operators whose outputs have sound
open_videos.py   files that stay open from one clip to the next
shared_videos.py frames for the clips of several threads, decoded once
"""
