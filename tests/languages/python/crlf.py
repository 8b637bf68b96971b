# Line ends are CRLF and the last line has none: café.
import os


@os.cached
class Cell:
    """One
    cell."""

    value: int = 0
    rows = [
        1,
    ]

    def read(
        self,
    ) -> int:
        # body
        return self.value
        # tail


def last():
    return Cell()