"""`python -m sightline`: the command line, where the console script is not on the path.

Python puts the working directory, which may be a hostile workspace, first on the module path.
Remove it before importing anything: Python has loaded `sys` itself, and would load any other
module from there.
"""

import sys

if __name__ == "__main__":
    if not sys.flags.safe_path:
        del sys.path[0]

    from sightline.cli import main

    sys.exit(main())
