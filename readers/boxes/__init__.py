"""Images with boxes in the layouts of YOLO, Pascal VOC and Open Images.

box_set      the contract: the images of one split, and their boxes in pixels
opening      tells the layout of a place, and opens a split
splits       the choice of a split
yolo         texts beside images, as Ultralytics lays them out
yolo_file    `data.yaml`, which names the splits and the classes
yolo_rows    the rows of one text
voc          XML files beside images
voc_file     one XML file
open_images  tables of boxes
"""
