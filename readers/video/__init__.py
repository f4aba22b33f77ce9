"""Clips of video files.

list_file.py  text files that list videos with labels and ranges
clips.py      which clips a list of videos has
source.py     the clips as samples: path and numbers of frames, label, times, span
files.py      videos by path or URL, for FFmpeg
reader.py     `fn.readers.video` and `fn.experimental.readers.video`
resize_reader.py  `fn.readers.video_resize`
"""
