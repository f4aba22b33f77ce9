"""Operators that consist of readers, decoders and operators of arrays.

video.py          `fn.readers.video` and `fn.experimental.readers.video`: clips, and their sound
video_resize.py   `fn.readers.video_resize`: clips, resized
sequence.py       `fn.readers.sequence`: frames in folders of images
nemo_asr.py       `fn.readers.nemo_asr`: utterances
image_list.py     `fn.decoders.image_list`: lists of images, decoded and resized
coco.py           `fn.readers.coco`: images with boxes, of COCO and of `coco_folders.py`
coco_folders.py   data sets of YOLO, Pascal VOC and Open Images in COCO's columns
numpy_decoder.py  `fn.decoders.numpy`: arrays, converted to a type
table.py          all of them

This room stands above the rooms of its parts, so it imports the classes of the parts.
"""
