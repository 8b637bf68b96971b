"""`python -m sightline`: for whoever knows an interpreter and not where its commands are.

Python puts the working directory, which may be a hostile workspace, in front of its module path.
It is taken off before anything else is imported.
"""

import os
import sys

if not sys.flags.safe_path and sys.path[0] in ("", os.getcwd()):  # noqa: PTH109
    del sys.path[0]

if __name__ == "__main__":
    from sightline.cli import main

    sys.exit(main())
