"""The colors of images: brightness, contrast, hue, saturation, color spaces, histograms.

operators             brightness_contrast, color_twist, color_space_conversion, equalize, clahe,
                      debayer
maps of colors        matrices: the maps; color_operator: the base of operators that choose a map;
                      cpu_colors and gpu_colors apply maps
tiles                 gpu_clahe: the GPU half of clahe; lab: tables of Lab colors
"""
