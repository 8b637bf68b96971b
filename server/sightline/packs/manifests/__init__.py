"""Project files of every ecosystem, read as packages, and the manifest made from them."""

from sightline.packs.manifests.packages import ManifestSource, Package
from sightline.packs.manifests.project_manifest import (
    entry_points,
    members_of,
    read_manifest,
    read_packages,
)

__all__ = [
    "ManifestSource",
    "Package",
    "entry_points",
    "members_of",
    "read_manifest",
    "read_packages",
]
