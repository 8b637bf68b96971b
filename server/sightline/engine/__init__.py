"""What every front calls: one module per capability, typed results.

A front converts, calls one function of this room and converts. It reaches for nothing below but
value types.
"""
