"""Images, videos and volumes at another size, on either device.

operators             resize, resize_crop_mirror, random_resized_crop, tensor_resize, and their
                      base resampling_operator (filters, layouts, the work on a sample and on a
                      batch); size_arguments: the ways to give a size
which axes and size   spatial_axes: the axes to resample; sizing: the extents of the result, and
                      the region of the input to show
which pixels weigh    filters: the curves; axes: the input samples of each output sample
CPU                   cpu_resample: an image; cpu_volume: a volume; under them cpu_plan (checks,
                      once for each case), cpu_copies (axes that weigh nothing), cpu_bands (an
                      axis as a banded matrix) and cpu_passes (pixels times such a matrix)
GPU                   gpu_resample: the launches; gpu_blocks: the work of a thread block;
                      gpu_tables: the curves and weights that the kernels read

The CPU's resampling is Penstock's own, for two reasons. Its pixels are those of DALI, from which
Pillow's differ by up to 3 of 256. And it is faster than Pillow 13, measured on one core of an AMD
EPYC with RGB images:

    antialiased            linear       Lanczos      (time, relative to Pillow's)
    375x500 -> 224x224     0.45         0.31
    750x1000 -> 224x224    0.65         0.43
    1080x1920 -> 256x256   0.71         0.38

OpenCV has no antialiased filters; its linear filter serves where no antialiasing is asked for.
"""
