"""`python -m sightline`: for whoever knows an interpreter and not where its commands are."""

from __future__ import annotations

import sys

from sightline.cli import main

if __name__ == "__main__":
    sys.exit(main())
