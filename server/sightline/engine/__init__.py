"""The capabilities that every front calls: one module each, with typed results.

A front converts, calls one function of this package and converts. Below it, a front uses only value
types.
"""
