"""Conditional execution: definitions in which `if` depends on data.

source        the syntax tree of a function
rewriting     the function with calls in place of `if`, `and`, `not` ...
returns       `return` in an `if`
assigned      what statements assign
conversion    which functions are rewritten, and when
decorators    the decorators of users
runtime       what the rewritten functions call
merging       one value out of the values of two branches
"""
