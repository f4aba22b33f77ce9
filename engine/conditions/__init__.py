"""Conditional execution: definitions in which `if` depends on data.

source        the syntax tree of a function
rewriting     the function with calls in place of `if`, `and`, `not` ...
syntax        parts of syntax trees
returns       `return` in an `if`
assigned      what statements assign
conversion    which functions are rewritten, and when
decorators    the decorators of users
runtime       what the rewritten functions call
splitting     batches that a definition splits and merges itself
merging       one value out of the values of two branches
"""
