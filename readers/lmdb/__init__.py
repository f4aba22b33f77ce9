"""LMDB databases, read as bytes, and the data sets of Caffe and Caffe2 in them."""
