"""The main module of a worker process; its arguments are folders of languages."""

import sys
from pathlib import Path

from sightline.workers.worker_loop import serve

if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer, [Path(each) for each in sys.argv[1:]])
