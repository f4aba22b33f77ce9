from penstock.engine.backend import *
