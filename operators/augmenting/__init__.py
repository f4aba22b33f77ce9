"""The augmentations of `penstock.auto_aug`: several of them in one operator, chosen by sample.

draws         draw_steps: which augmentations a sample gets, and their parameters
images        augment: the operator; effects: what there is; byte_tables: those that map levels
devices       cpu_augment, gpu_augment; chains: the steps of a whole batch; frames.cuh, levels.cuh
geometry      maps: how pixels move; references: the sizes that relative translations refer to;
              move_labels: boxes and masks that move with their images
"""
