"""Video decoders.

video_decoder.py  `fn.decoders.video`: clips out of encoded files
video_input.py    `fn.experimental.inputs.video`: long videos that the program feeds
clip.py           the clips of `fn.readers.video`, out of files that stay open for the next clip
span_sound.py     the sound of a clip
on_device.py      clips for the GPU: threads that drive FFmpeg's decoders, on the GPU if possible
clip_frames.py    decoded frames before their conversion
conversion.py     planes to RGB or YCbCr on the GPU
"""
