"""The command line.

Exit codes: 0 done, 2 wrong use, 3 refused. A refusal's report goes to stdout with
`--format json`, its reason to stderr always. No input ends in a traceback.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from sightline.cli.arguments import format_values, parse
from sightline.cli.command_parsing import WrongUseError
from sightline.cli.helping import FIRST_STEPS
from sightline.cli.output import DONE, REFUSED, WRONG_USE, Output, OutputError
from sightline.refusals import Refusal, RefusalKind


def main(argv: Sequence[str] | None = None) -> int:
    arguments = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        # Show a character that the stream cannot encode as an escape, rather than failing.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    output = Output(json="json" in format_values(arguments))
    if not arguments:
        output.guide(FIRST_STEPS)
        return WRONG_USE
    try:
        options = parse(arguments)
        options.arguments = arguments
        output.json = options.format == "json"
        code: int = options.run(options, output)
    except BrokenPipeError:
        # The reader of stdout closed it: that is no error.
        code = DONE
    except KeyboardInterrupt:
        code = 130
    except OutputError as error:
        code = _unwritable(output, error)
    except Exception as error:
        code = _refuse(arguments, output, _refusal(error))
    _close_streams()
    return code


def _refusal(error: Exception) -> Refusal:
    if isinstance(error, WrongUseError):
        return Refusal(RefusalKind.INVALID_REQUEST, "usage", None, str(error), error.advice)
    # A traceback or an exception's message could quote a file; the place in our code cannot.
    frames = traceback.extract_tb(error.__traceback__)
    where = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "nowhere"
    return Refusal(
        RefusalKind.INDEX_UNAVAILABLE,
        "internal_error",
        None,
        f"something went wrong inside Sightline ({type(error).__name__} at {where})",
        "report it with the command line that led to it",
    )


def _refuse(arguments: Sequence[str], output: Output, refusal: Refusal) -> int:
    """Report a refusal in the output format of its command."""
    try:
        if arguments[:1] == ["build"]:
            from sightline.cli.build import refuse_build

            return refuse_build(output, refusal)
        return output.refuse(refusal)
    except BrokenPipeError:
        return DONE
    except OutputError as error:
        return _unwritable(output, error)


def _unwritable(output: Output, error: OutputError) -> int:
    output.reason(f"the output cannot be written: {error}; write it to another place")
    return REFUSED


def _close_streams() -> None:
    """Keep Python from complaining at exit about a stream that is closed or full."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            with contextlib.suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
