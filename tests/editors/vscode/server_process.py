"""One code-server process that has the extension and nothing of the person who runs the tests."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType

import attrs

from tests.editors.vscode.installation import NODE, code_server

PATIENCE = 90.0
"""Seconds until a condition is given up; no test passes or fails by it on a machine that works."""

USER_SETTINGS: Mapping[str, object] = {
    "chat.disableAIFeatures": True,
    "editor.minimap.enabled": False,
    "editor.quickSuggestions": {"other": "off", "comments": "off", "strings": "off"},
    "editor.suggestOnTriggerCharacters": False,
    "editor.accessibilitySupport": "off",
    "extensions.autoCheckUpdates": False,
    "extensions.autoUpdate": False,
    "extensions.ignoreRecommendations": True,
    "files.autoSave": "off",
    "git.enabled": False,
    "security.workspace.trust.startupPrompt": "never",
    "telemetry.telemetryLevel": "off",
    "window.autoDetectColorScheme": True,
    "window.commandCenter": False,
    "workbench.editor.enablePreview": False,
    "workbench.layoutControl.enabled": False,
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "workbench.startupEditor": "none",
    "workbench.tips.enabled": False,
}
"""No completion that would swallow a key, and nothing on the screen that is not being tested."""


@attrs.frozen
class CodeServer:
    """A running code-server that has nothing of the person's who runs the tests."""

    place: Path
    """Its home, data, extensions and log; Sightline's store and user settings."""
    url: str
    process: int

    @property
    def log(self) -> Path:
        return self.place / "code-server.log"

    @property
    def sightline_settings(self) -> Path:
        """The file of the *user* of Sightline, which alone may loosen a guard."""
        return self.place / "config" / "settings.toml"

    def set_machine(self, settings: Mapping[str, object]) -> None:
        """Settings of machine scope, which a remote window takes from here alone."""
        _write_json(self.place / "data" / "Machine" / "settings.json", settings)

    def language_servers(self) -> set[int]:
        """Of all windows; a server's workers, which look alike, are not counted."""
        found = {
            number: parent
            for number, parent, arguments in _below(self.process)
            if "sightline" in arguments and " lsp" in arguments
        }
        return {number for number, parent in found.items() if parent not in found}


@contextmanager
def running_code_server(
    place: Path,
    extension: Path,
    machine: Mapping[str, object],
    *,
    trusting: bool,
    variables: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[CodeServer]:
    """One that has the extension; its whole process group ends with the block."""
    for folder in ("home", "temporary", "extensions", "data/User", "data/Machine"):
        (place / folder).mkdir(parents=True, exist_ok=True)
    _write_json(place / "data" / "Machine" / "settings.json", machine)
    _write_json(place / "data" / "User" / "settings.json", USER_SETTINGS)
    environment = {**_environment(place), **variables}
    command = [
        *(str(NODE), str(code_server())),
        *("--user-data-dir", str(place / "data")),
        *("--extensions-dir", str(place / "extensions")),
        *("--config", str(place / "config.yaml")),
    ]
    answer = subprocess.run(
        [*command, "--install-extension", str(extension)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    assert answer.returncode == 0, answer.stdout
    port = _free_port()
    options = ["--auth", "none", "--disable-telemetry", "--disable-update-check"]
    # A window that is closed takes its extension host and language server with it at once.
    options += ["--reconnection-grace-time", "1"]
    # Where the tests themselves are killed, it ends by itself.
    options += ["--idle-timeout-seconds", "600"]
    if trusting:
        options.append("--disable-workspace-trust")
    with (place / "code-server.log").open("wb") as log:
        process = subprocess.Popen(
            [*command, "--bind-addr", f"127.0.0.1:{port}", *options],
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        url = f"http://127.0.0.1:{port}"
        wait_until(lambda: _answers(f"{url}/healthz") or process.poll() is not None)
        assert process.poll() is None, (place / "code-server.log").read_text(encoding="utf-8")
        yield CodeServer(place, url, process.pid)
    finally:
        _end_group(process)


def wait_until(condition: Callable[[], bool]) -> None:
    """Looks again and again; the short rest between two looks decides nothing."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "what was waited for did not come"
        time.sleep(0.02)


_OTHERS = ("SIGHTLINE_", "VSCODE_")
"""Variables of the person who runs the tests, and of an editor that they run them from."""


def _environment(place: Path) -> dict[str, str]:
    home = place / "home"
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith(_OTHERS)},
        "HOME": str(home),
        "TMPDIR": str(place / "temporary"),
        "XDG_DATA_HOME": str(home / ".local" / "share"),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "EXTENSIONS_GALLERY": "{}",
        # Said to come from a terminal, it does not ask the login shell for other variables.
        "VSCODE_CLI": "1",
        "SIGHTLINE_CACHE_DIR": str(place / "cache"),
        "SIGHTLINE_CONFIG_DIR": str(place / "config"),
    }


def _write_json(path: Path, value: Mapping[str, object]) -> None:
    path.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        assert isinstance(port, int)
        return port


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """The extension host and the language server are in the group too."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(5)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _below(root: int) -> Iterator[tuple[int, int, str]]:
    """Every descendant: its number, its parent's, and its command line."""
    listing = subprocess.run(
        ["ps", "-A", "-ww", "-o", "pid=,ppid=,args="],
        capture_output=True,
        encoding="utf-8",
        check=True,
    ).stdout
    children: dict[int, list[tuple[int, str]]] = {}
    for line in listing.splitlines():
        number, parent, arguments = line.split(None, 2)
        children.setdefault(int(parent), []).append((int(number), arguments))
    waiting = [root]
    while waiting:
        above = waiting.pop()
        for child, arguments in children.get(above, []):
            yield child, above, arguments
            waiting.append(child)
