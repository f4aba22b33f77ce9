"""Images and volumes whose pixels come from other positions.

affine        rotate and warp_affine, on the base warp_operator; rotation: canvases and maps of
              angles; frame_maps: the maps of a batch's frames; index_maps: maps between indices
              of pixels; cpu_warp and gpu_warp for images, cpu_volume and gpu_volume for volumes
perspective   warp_perspective, with cpu_perspective and gpu_perspective
any positions remap; sphere, water and jitter on the base displacement; gpu_displacement
"""
