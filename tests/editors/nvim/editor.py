"""A real Neovim with the plugin in it, driven over its own RPC."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pynvim  # type: ignore[import-untyped]

PLUGIN = Path(__file__).parents[3] / "editors" / "nvim"
SECONDS = 30.0
"""After which a condition counts as one that never comes."""

_Value = TypeVar("_Value")

INIT = """
vim.opt.runtimepath:prepend(vim.env.PLUGIN)
vim.opt.swapfile = false
vim.opt.shadafile = "NONE"
vim.o.laststatus = 2
vim.o.statusline = "%f %=%{%v:lua.require'sightline'.statusline()%} "
_G.notices, _G.selections, _G.choice, _G.progress = {}, {}, nil, {}
_G.own_notify, _G.own_select = vim.notify, vim.ui.select
vim.notify = function(text, level, options)
  table.insert(_G.notices, { text = text, level = level })
  -- An error that is shown at once fails the command that a test sends.
  vim.schedule(function() _G.own_notify(text, level, options) end)
end
-- The editor's own extension point: a person's hand that takes the item with a text in it.
vim.ui.select = function(items, options, on_choice)
  local labels = vim.tbl_map(options.format_item or tostring, items)
  table.insert(_G.selections, { prompt = options.prompt, labels = labels })
  for index, label in ipairs(labels) do
    if _G.choice and label:find(_G.choice, 1, true) then
      return on_choice(items[index], index)
    end
  end
  on_choice(nil, nil)
end
vim.api.nvim_create_autocmd("LspProgress", { callback = function(event)
  table.insert(_G.progress, vim.tbl_get(event.data, "params", "value", "title") or "")
end })
"""


class Editor:
    """One Neovim. Commands are Ex commands, questions are Lua expressions."""

    def __init__(self, nvim: pynvim.Nvim, workspace: Path, mark: str) -> None:
        self.nvim = nvim
        self.workspace = workspace
        self._mark = mark

    def command(self, text: str) -> None:
        self.nvim.command(text)

    def edit(self, path: str | Path) -> None:
        self.command(f"edit {path}")

    def lua(self, code: str, *arguments: object) -> Any:
        return self.nvim.exec_lua(code, *arguments)

    def ask(self, expression: str) -> Any:
        return self.lua(f"return {expression}")

    def type(self, keys: str) -> None:
        self.nvim.input(keys)

    def choose(self, text: str) -> None:
        """From now on, take the item that has this text in it, wherever one is to be chosen."""
        self.lua("_G.choice = ...", text)

    def until(self, what: str, condition: Callable[[], _Value]) -> _Value:
        """The first value of a condition that counts as true."""
        return until(what, condition, lambda: f"{self.notices()}\n{self.command_output()}")

    def until_lua(self, expression: str) -> Any:
        return self.until(expression, lambda: self.ask(expression))

    def command_output(self) -> str:
        return str(self.nvim.command_output("messages"))

    def status(self) -> tuple[str, str]:
        """The status line's piece: its text, and the highlight group that it is in."""
        drawn = self.lua(
            "return vim.api.nvim_eval_statusline("
            "\"%{%v:lua.require'sightline'.statusline()%}\", { highlights = true })"
        )
        return drawn["str"], drawn["highlights"][0]["group"]

    def until_status(self, part: str, group: str) -> str:
        def shown() -> str:
            text, now = self.status()
            return text if part in text and now == group else ""

        return self.until(f"the status '{part}' in {group}", shown)

    def until_status_other_than(self, text: str) -> str:
        return self.until(
            f"another status than '{text}'",
            lambda: shown if (shown := self.status()[0]) != text else "",
        )

    def until_ready(self) -> str:
        """The status once every file is known."""

        def ready() -> str:
            text, _ = self.status()
            return text if text and not text.endswith("…") and "indexing" not in text else ""

        return self.until("the status of a whole index", ready)

    def until_page(self, name: str) -> str:
        """The text of a page of Sightline's, once the cursor is in it."""
        self.until_lua(f"vim.api.nvim_buf_get_name(0) == 'sightline://{name}'")
        return self.text()

    def built(self, run: Callable[[], None]) -> str:
        """What the next build shows."""
        count = "(_G.builds or 0)"
        self.lua(
            "_G.builds = 0 vim.api.nvim_create_autocmd('User', {"
            " group = vim.api.nvim_create_augroup('test.built', {}),"
            " pattern = 'SightlineBuilt', callback = function() _G.builds = _G.builds + 1 end })"
        )
        run()
        self.until_lua(f"{count} > 0")
        return self.until_page("context")

    def text(self) -> str:
        """The current buffer, as it would be written."""
        text = "\n".join(self.nvim.current.buffer[:])
        return text + "\n" if self.ask("vim.bo.endofline") else text

    def notices(self) -> list[str]:
        return [each["text"] for each in self.ask("_G.notices")]

    def until_notice(self, part: str) -> str:
        return self.until(
            f"a message with '{part}'",
            lambda: next((each for each in self.notices() if part in each), ""),
        )

    def server_processes(self) -> list[int]:
        """Every process of this editor's server, workers included."""
        return [each for each in processes_with(self._mark) if b"nvim" not in _command_line(each)]


@contextlib.contextmanager
def running_editor(
    executable: Path,
    folder: Path,
    workspace: Path,
    init: str,
    *,
    prefix: Sequence[str] = (),
) -> Iterator[Editor]:
    """A Neovim without a screen, whose processes are all gone in the end."""
    environment, arguments = prepared(folder, init)
    process = subprocess.Popen(
        [*prefix, str(executable), *arguments, "--headless"],
        cwd=workspace,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        with connected(folder, workspace) as editor:
            yield editor
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        until("the end of every process", lambda: not processes_with(str(folder / "cache")))


def prepared(folder: Path, init: str) -> tuple[dict[str, str], list[str]]:
    """A home of its own for an editor, and the arguments that make it listen."""
    for name in ("home", "cache", "config"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "init.lua").write_text(INIT + init, encoding="utf-8")
    home = folder / "home"
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("NVIM")},
        "HOME": str(home),
        **{f"XDG_{kind}_HOME": str(home / kind) for kind in ("CONFIG", "DATA", "STATE", "CACHE")},
        "PLUGIN": str(PLUGIN),
        "SIGHTLINE_CACHE_DIR": str(folder / "cache"),
        "SIGHTLINE_CONFIG_DIR": str(folder / "config"),
        # A worker for each core costs more to start than it reads in a dozen files.
        "SIGHTLINE_INDEX_JOBS": "1",
    }
    address = _address(folder)
    return environment, ["--clean", "-u", str(folder / "init.lua"), "--listen", str(address)]


@contextlib.contextmanager
def connected(folder: Path, workspace: Path) -> Iterator[Editor]:
    address = _address(folder)
    until("Neovim to listen", lambda: _listens(address))
    nvim = pynvim.attach("socket", path=str(address))
    try:
        yield Editor(nvim, workspace, str(folder / "cache"))
        with contextlib.suppress(OSError, EOFError, pynvim.NvimError):
            nvim.command("qall!")
    finally:
        nvim.close()
        address.unlink(missing_ok=True)


def setup(**options: str) -> str:
    """A call of `setup` with options that are written in Lua; the server is this one's."""
    command = f"{{ {sys.executable!r}, '-m', 'sightline', 'lsp' }}"
    given = {"cmd": command, **options}
    written = ", ".join(f"{name} = {value}" for name, value in given.items())
    return f"require('sightline').setup({{ {written} }})\n"


def until(
    what: str, condition: Callable[[], _Value], report: Callable[[], str] = lambda: ""
) -> _Value:
    end = time.monotonic() + SECONDS
    while not (value := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"this never came: {what}\n{report()}")
        time.sleep(0.02)
    return value


def processes_with(mark: str) -> list[int]:
    """Processes that live, whose environment has a text in it."""
    found = []
    for place in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError, IndexError):
            number = int(place.name)
            state = (place / "stat").read_text().rpartition(")")[2].split()[0]
            if state != "Z" and mark.encode() in (place / "environ").read_bytes():
                found.append(number)
    return sorted(found)


def _command_line(process: int) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""


def _listens(address: Path) -> bool:
    """A socket is there a moment before anybody listens to it."""
    with socket.socket(socket.AF_UNIX) as attempt, contextlib.suppress(OSError):
        attempt.connect(str(address))
        return True
    return False


def _address(folder: Path) -> Path:
    """A socket's path may be a hundred characters long, and a test's folder is longer."""
    return Path("/tmp") / f"sightline-nvim-{os.getpid()}-{abs(hash(str(folder))) % 10**8}.sock"
