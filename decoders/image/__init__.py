"""Encoded images to arrays of pixels.

table            the table of image formats: one row a format
formats/         one module a format: its signature, its header, its decode
engines/         what decodes: libjpeg-turbo and OpenCV (CPU), nvJPEG, nvImageCodec, CUDA kernels
decode           decode one image on the CPU, in the color space, dtype and region asked for
mixed            decode a batch into GPU memory
mixed_batch      such a batch on its way: sorted, chosen, placed, decoded
whole_images     its images that are decoded whole, for a cache or to be scaled down
plain_jpeg       its plain JPEG files: the hardware engine, and CUDA cores
engine_share     which of these files are for the engine
finish           turn and convert the pixels of such a batch
image_cache      whole decoded images out of a cache, on the CPU and on the GPU
shrink           scale images down as they are decoded
cpu_decoding     the files of such a batch that the CPU decodes, in threads or a process
decoding_child   that process
color            color spaces and sample dtypes
orientation      EXIF orientations
image_decoder    `fn.decoders.image` and `fn.peek_image_shape`
windowed         `fn.decoders.image_crop`, `image_random_crop` and `image_slice`
sequence         the frames of `fn.readers.sequence`

Our own parsers read the headers, for two reasons. OpenCV cannot read a header without decoding
the image, and OpenCV returns images with missing pixels without an error; the parsers check that
the file is complete. Our parsers are also 2 to 16 times as fast as Pillow's `open`: a header takes
2 to 12 us of CPU time where Pillow takes 6 to 85 us. These are figures of one file of each of the
seven formats, on an AMD EPYC with Python 3.11.
"""
