"""Transforms of images as torchvision computes them, for `experimental.torchvision`.

torchvision has two sets of results: those of its tensors, and those of Pillow, to which it passes
Pillow's images. The argument `rule` of these operators chooses the set. The operators have no
public names: programs use the transforms of `experimental.torchvision`.

resize      sizes and windows by torchvision's rules; resizing works on the CPU, by weights of axes,
            and gpu_resizing on the GPU; pillow_images: arrays as images of Pillow
color       changes of brightness, contrast, saturation and hue; colors, on the CPU
windows     random windows, and boxes in windows; maps: random rotations and perspectives
"""
