from penstock.engine.graph.nodes import *
