"""A bundle that is built before the words of the project are counted says so in its first lines."""

from __future__ import annotations

from sightline.egress import guarded_scan
from sightline.engine.cache import BuildCache
from sightline.index.store import Fault, NoStore
from sightline.languages import Registry
from sightline.project import Project
from sightline.workers import Workers
from sightline.workspace import Workspace
from tests.context import workspaces as w
from tests.context.conftest import MakeBench

_WARNING = "**Not complete: the words of the project had not been counted"


def test_a_bundle_says_that_words_are_not_counted(
    bench: MakeBench, registry: Registry, workers: Workers
) -> None:
    made = bench(w.ORDERS)
    project = Project(Workspace(made.root), registry, workers, NoStore(Fault.UNAVAILABLE))
    project.open()
    early = made.build(w.TOTAL, build_cache=BuildCache(project, registry, workers, guarded_scan))
    assert early.rendering.text.split("\n")[4].startswith(_WARNING)
    assert _WARNING not in made.build(w.TOTAL).rendering.text
