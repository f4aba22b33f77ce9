from penstock.engine.pipeline.definition import *
