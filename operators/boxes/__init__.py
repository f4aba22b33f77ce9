"""Bounding boxes and coordinates: flipped, pasted, rotated, cropped at random, encoded for SSD.

operators       bb_flip, coord_flip, bbox_paste, bbox_rotate; box_encoder; random_bbox_crop,
                ssd_random_crop, random_crop_generator
boxes           box_layout: the order of their columns; boxes_of_batch: those of a batch as one
                table; checks: errors of boxes and labels; overlaps: with windows
random windows  window_shapes: their sizes; crop_search: the search of a batch, by the rules of
                crop_rules; windows_of_samples: the windows, and the boxes in them
anchors         anchors: which boxes they match, and boxes relative to them
GPU             gpu_flip, gpu_box_encoder
"""
