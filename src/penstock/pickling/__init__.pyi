from penstock.engine.run.pickling import *
