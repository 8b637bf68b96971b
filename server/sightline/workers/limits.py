"""Limits that a process of our own puts on itself, and how it ends with its parent."""

from __future__ import annotations

import os


def limit_memory(most_bytes: int) -> None:
    """Let no more be allocated than that, and leave no core file."""
    try:
        import resource
    except ImportError:
        return
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    limit = most_bytes if hard == resource.RLIM_INFINITY else min(hard, most_bytes)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    # A core file would hold the contents of what was being read.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def die_after(seconds: float) -> None:
    """Let the system end this process, even inside a parse, after so much processor time.

    And as soon as its parent is gone: a parse would go on for nobody. 0 for neither.
    """
    try:
        from signal import ITIMER_PROF, setitimer
    except ImportError:
        # Windows: the parent's watchdog is all there is.
        return
    setitimer(ITIMER_PROF, seconds)
    _die_with_parent(bool(seconds))


def _die_with_parent(is_on: bool) -> None:
    """Have the system signal the end of the input, which ends a process that does not handle it.

    While a text is parsed nothing else comes in. Where pipes cannot do this, the timer has to do.
    """
    try:
        import fcntl

        flags = fcntl.fcntl(0, fcntl.F_GETFL)
        wanted = flags | fcntl.FASYNC if is_on else flags & ~fcntl.FASYNC
        if wanted != flags:
            fcntl.fcntl(0, fcntl.F_SETFL, wanted)
    except (ImportError, OSError):
        return


def handle_signals() -> None:
    """Let the signals of the timer and of the pipe end this process, whatever it inherited."""
    try:
        import fcntl
        from signal import SIG_DFL, SIGIO, SIGPROF, signal

        signal(SIGPROF, SIG_DFL)
        signal(SIGIO, SIG_DFL)
        fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
    except (ImportError, OSError):
        return
