"""Video decoders, through PyAV.

video_decoder.py  `fn.decoders.video`: clips out of encoded files
video_input.py    `fn.experimental.inputs.video`: long videos that the program feeds
clip.py           the clips of `fn.readers.video`, out of files that stay open for the next clip
span_sound.py     the sound of a clip
on_device.py      clips for the GPU: threads that drive FFmpeg's decoders, on the GPU if possible
clip_frames.py    decoded frames before their conversion
conversion.py     planes to RGB or YCbCr on the GPU
frames.py         each frame by its number
contexts.py       decoders of streams
decoder_pool.py   decoders that go from one video to the next, on the GPU too
open_videos.py    files that stay open from one clip to the next
shared_videos.py  frames for the clips of several threads, decoded once
pictures.py       decoded frames as arrays of RGB or YCbCr
colors.py         matrices from the colors of videos to RGB and YCbCr
sound.py          the audio track by time
stamps.py         which samples the frames of a track hold, by rounded time stamps

`formats/video` knows which frames a file has.
"""
