"""The workspace: the only room that touches the disk, and the rules about what it may show."""

from sightline.workspace.defaults import is_lift
from sightline.workspace.workspace import Document, Limits, RootError, Workspace, find_root

__all__ = ["Document", "Limits", "RootError", "Workspace", "find_root", "is_lift"]
