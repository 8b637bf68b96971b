"""Sightline decides, exactly and provably, what an AI may see of a codebase.

`sightline.open(root)` opens a workspace; see `sightline.api` and docs/python.md. Its module is
loaded when it is first used, since the command line and the workers do not need it.

Nothing is imported here: `python -m sightline` comes through here before it takes the working
directory off the module path.
"""

TYPE_CHECKING = False
"""Type checkers treat this name as true."""

__version__ = "0.1.0"
__all__ = ["OpenWorkspace", "WorkspaceError", "__version__", "diff", "doctor", "open"]

if TYPE_CHECKING:
    from sightline.api import OpenWorkspace as OpenWorkspace
    from sightline.api import WorkspaceError as WorkspaceError
    from sightline.api import diff as diff
    from sightline.api import doctor as doctor
    from sightline.api import open as open


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'sightline' has no attribute '{name}'")
    from sightline import api

    value: object = getattr(api, name)
    return value
