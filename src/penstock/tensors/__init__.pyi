from penstock.engine.tensors import *
