"""Limits that a process sets for itself, and its end with its parent."""

from __future__ import annotations

import os


def limit_memory(most_bytes: int) -> None:
    """Limit the memory of this process, and disable its core file."""
    try:
        import resource
    except ImportError:
        return
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    limit = most_bytes if hard == resource.RLIM_INFINITY else min(hard, most_bytes)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    # A core file would hold the contents of the text.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def die_after(seconds: float) -> None:
    """Let the system end this process after this much processor time, even inside a parse.

    It also ends as soon as its parent is gone: no process would read the result. 0 turns both off.
    """
    try:
        from signal import ITIMER_PROF, setitimer
    except ImportError:
        # On Windows there is only the parent's watchdog.
        return
    setitimer(ITIMER_PROF, seconds)
    _die_with_parent(bool(seconds))


def _die_with_parent(is_on: bool) -> None:
    """Let the system signal the end of the input, which ends a process without a handler.

    While a text is parsed, no other input arrives. If pipes cannot signal, the timer has to
    suffice.
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
    """Let the signals of the timer and of the pipe end this process, whatever handlers it
    inherited.
    """
    try:
        import fcntl
        from signal import SIG_DFL, SIGIO, SIGPROF, signal

        signal(SIGPROF, SIG_DFL)
        signal(SIGIO, SIG_DFL)
        fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
    except (ImportError, OSError):
        return
