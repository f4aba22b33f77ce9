from penstock.engine.types import *
