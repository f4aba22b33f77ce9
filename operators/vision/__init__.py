"""Transforms of images as torchvision computes them, for `experimental.torchvision`.

torchvision has two sets of results: those of its tensors, and those of Pillow, to which it passes
Pillow's images. The argument `rule` of these operators chooses the set. The operators have no
public names: programs use the transforms of `experimental.torchvision`.

axes        which samples of an axis each result weighs, and rounded weights
resizing    an image on the CPU; `gpu_resizing` and resize.cu, a batch on the GPU
resize      the operator of both, with sizes and windows by torchvision's rules
color       `ColorJitter`, `Grayscale` and `RandomGrayscale`; colors: their arithmetic on the CPU;
            pillow_images: arrays as Pillow's images, and back
maps        random maps of pixels: rotations, affine maps and perspectives
sizes       random sizes
windows     random windows, and the bounding boxes in them
"""
