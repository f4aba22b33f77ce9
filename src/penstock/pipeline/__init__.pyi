from penstock.engine.run.definition import *
