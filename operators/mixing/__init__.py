"""Pairs of samples that are mixed, with their labels.

mixup, cutmix  the operators
pairs          what they share: which samples are paired, and the labels of the pairs
"""
