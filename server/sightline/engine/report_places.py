"""Which files of a workspace the report of a tool means."""

from __future__ import annotations

from dataclasses import replace

from sightline.engine.host import Host
from sightline.recipes.model import ValidationOutput
from sightline.refusals import Refusal


class ReportPlaces:
    """Finds the files of the workspace that a report means.

    A report may name them in its own way: `/builds/shop/src/app.py` as on a build server,
    `app_test.go` without its folder, `com/shop/App.java` below a folder of sources.
    """

    def __init__(self, host: Host, output: ValidationOutput) -> None:
        self._host = host
        self._output = output
        self._visible: list[str] | None = None
        self._names: dict[str, str] = {}
        """By the name in the report, the path in the workspace, where they are not the same."""
        self.files: list[str] = []
        self.refused: dict[str, Refusal] = {}
        """Files that a rule denies."""
        self.ambiguous: list[str] = []
        named = dict.fromkeys(error.file for stage in output.stages for error in stage.errors)
        unknown = [each for each in named if not self._take(each, each)]
        for each in unknown:
            self._find(each)

    def output(self) -> ValidationOutput:
        """Return the report with the names of the workspace."""
        stages = [
            replace(
                stage,
                errors=tuple(
                    replace(each, file=self._names.get(each.file, each.file))
                    for each in stage.errors
                ),
            )
            for stage in self._output.stages
        ]
        return replace(self._output, stages=tuple(stages))

    def _take(self, name: str, written: str) -> bool:
        """Take a file if it is there, or if it is denied by a rule."""
        path = self._host.path_of(str(self._host.root / name))
        if isinstance(path, Refusal):
            return False
        found = self._host.cache.look_at(path)
        if isinstance(found, Refusal):
            if found.reason == "deny_rule":
                self.refused[path] = found
            return found.reason == "deny_rule"
        self.files.append(path)
        if name != written:
            self._names[written] = path
        return True

    def _find(self, written: str) -> None:
        parts = [each for each in written.replace("\\", "/").split("/") if each not in ("", ".")]
        if ".." in parts:
            return
        if written.startswith("/") or written[1:2] == ":":
            for start in range(1, len(parts) - 1):
                if self._take("/".join(parts[start:]), written):
                    return
            return
        ending = "/" + "/".join(parts)
        if self._visible is None:
            self._visible = list(self._host.workspace.files())
        found = [each for each in self._visible if f"/{each}".endswith(ending)]
        if len(found) == 1:
            self._take(found[0], written)
        elif found:
            self.ambiguous.append(written)
