from penstock.operators.elementwise.math_functions import *
