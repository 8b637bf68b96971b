"""`python -m sightline.cli`, for where the console script is not on the path."""

import sys

from sightline.cli import main

sys.exit(main())
