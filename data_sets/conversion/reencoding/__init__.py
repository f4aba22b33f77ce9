"""Encoding images, audio and video anew while a data set is converted."""
