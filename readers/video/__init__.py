"""Clips of video files.

list_file.py  text files that list videos with labels and ranges
clips.py      which clips a list of videos has
source.py     the clips as samples: path and numbers of frames, label, times, span
files.py      videos by path or URL, for FFmpeg

`composite/video.py` has the readers, which decode the clips.
"""
