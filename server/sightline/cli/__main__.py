"""`python -m sightline.cli`, for systems where the console script is not on the path."""

import sys

from sightline.cli import main

sys.exit(main())
