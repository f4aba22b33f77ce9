"""File formats that readers and decoders share.

npy          NumPy's `.npy`: the header, and the elements behind it
fits/        FITS files: headers, images, and images that are compressed tile by tile
coco/        annotations of COCO: JSON, columns of boxes, polygons and masks
nemo         manifests of NVIDIA NeMo: JSON lines, one utterance a line
shar         cuts of lhotse: JSON lines, a stretch of a recording in each
video/       which frames a video has, through PyAV
decompression  compressed streams, unpacked up to a size
bundle       several encoded files as one array of bytes
endings      endings of the files of images, sound and video
foreign      files of other software, told by their first bytes or endings
media        FFmpeg's containers, for sound and video
media_ends   where a container's file ends by its own words; matroska: the same of Matroska
json_text    JSON text in a file, read value by value
json_arrays  large JSON objects whose members are arrays, parsed block by block
ragged       columns whose samples have different numbers of elements
rle          masks as run lengths
rasterize    polygons and run lengths as masks
"""
