"""A person at VS Code's workbench: windows of one code-server process in a browser.

Everything is waited for on what the screen shows; nothing waits for a time to pass.
"""

from __future__ import annotations

import json
import re
import time
from contextlib import suppress
from pathlib import Path
from typing import Literal
from urllib.parse import quote, urlsplit

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    FrameLocator,
    Locator,
    Page,
    Route,
    expect,
)
from playwright.sync_api import TimeoutError as GaveUpError

from tests.editors.vscode.server_process import PATIENCE, CodeServer, wait_until

STATUS_ITEM = "sightline.sightline.sightline.budget"
"""Publisher, extension and the item's own name."""


class Workbench:
    """One window."""

    def __init__(self, server: CodeServer, browser: Browser, kept: Path, *, scale: int) -> None:
        self.server = server
        self.kept = kept
        """Where its screen and logs go when a test fails."""
        self.console: list[str] = []
        self._other_servers: set[int] = set()
        self.outside: set[str] = set()
        """Hosts that the window asked for besides this machine; the requests are not let out."""
        self._context: BrowserContext = browser.new_context(
            viewport={"width": 1280, "height": 800}, device_scale_factor=scale
        )
        self._context.set_default_timeout(PATIENCE * 1000)
        self._context.grant_permissions(["clipboard-read", "clipboard-write"], origin=server.url)
        self._context.route(
            lambda url: urlsplit(url).hostname not in ("127.0.0.1", None), self._refuse
        )
        self.page: Page = self._context.new_page()
        self.page.on("console", self._note)

    def close(self) -> None:
        self._context.close()

    # Opening.

    def open(self, place: Path, file: str) -> None:
        """A folder or a `.code-workspace` file, with a file of it open and in focus."""
        self._other_servers = self.server.language_servers()
        root = place if place.is_dir() else place.parent
        uri = f"vscode-remote://{urlsplit(self.server.url).netloc}{root / file}"
        kind = "folder" if place.is_dir() else "workspace"
        payload = quote(json.dumps([["openFile", uri]]))
        folders = self.page.locator(".explorer-folders-view .monaco-list-row").first
        nothing = self.page.get_by_role("button", name="Open Folder")
        for _ in range(5):
            # A window of several folders now and then starts without any; opened anew it has them.
            self.page.goto(f"{self.server.url}/?{kind}={quote(str(place))}&payload={payload}")
            folders.or_(nothing).first.wait_for()
            if folders.is_visible():
                break
        self.active_tab(Path(file).name).wait_for()
        # The workbench takes the focus once more when its editors are restored, which would close
        # a palette that was opened before.
        self.page.locator(".editor-container .monaco-editor.focused").wait_for()

    def open_file(self, name: str) -> None:
        """Through Go to File, as a person would."""
        self._ask("Control+P", name, f'[aria-label^="{Path(name).name}"]')
        self.active_tab(Path(name).name).wait_for()

    def go_to(self, line: int, column: int = 1) -> None:
        """Puts the cursor there, in the editor that had the focus last."""
        self._ask("Control+G", f":{line}:{column}", "", says=f"line {line} at column {column}")
        expect(self.status_entry("status.editor.selection")).to_have_text(
            re.compile(rf"Ln {line}, Col {column}\b")
        )

    # What is on the screen.

    def tab(self, name: str) -> Locator:
        return self.page.locator(f'.tab[data-resource-name="{name}"]')

    def active_tab(self, name: str) -> Locator:
        return self.page.locator(f'.tab.active[data-resource-name="{name}"]')

    def status_entry(self, identifier: str) -> Locator:
        return self.page.locator(f'.part.statusbar [id="{identifier}"]')

    @property
    def status(self) -> Locator:
        """Sightline's status bar item."""
        return self.status_entry(STATUS_ITEM)

    @property
    def quick_widget(self) -> Locator:
        return self.page.locator(".quick-input-widget")

    @property
    def quick_input(self) -> Locator:
        return self.quick_widget.locator(".quick-input-filter input.input").first

    @property
    def quick_rows(self) -> Locator:
        return self.quick_widget.locator(".quick-input-list .monaco-list-row")

    def tree_row(self, path: str) -> Locator:
        """Of the Context view; its rows are spoken with the whole path first."""
        return self.page.locator(f'.part.sidebar .monaco-list-row[aria-label^="{path},"]')

    def tree_button(self, path: str, name: str) -> Locator:
        """A row's own button, which shows when the pointer is on it."""
        row = self.tree_row(path)
        row.hover()
        return row.get_by_role("button", name=name)

    def title_button(self, name: str, title: str) -> Locator:
        """In the title bar of the document's editor."""
        return self.group(name).locator(".editor-actions").get_by_role("button", name=title)

    def notification(self, text: str | re.Pattern[str]) -> Locator:
        return self.page.locator(".notifications-toasts .notification-list-item", has_text=text)

    def output_channel(self, name: str) -> Locator:
        """Its name, where the panel shows it."""
        return self.page.locator(".part.panel option:checked", has_text=name)

    def said(self, text: str | re.Pattern[str]) -> Locator:
        """A short message in the status bar, or a notification."""
        places = ".part.statusbar .statusbar-item, .notifications-toasts .notification-list-item"
        return self.page.locator(places, has_text=text).first

    def group(self, name: str) -> Locator:
        """The group of editors that shows the tab's document."""
        return self.page.locator(".editor-group-container", has=self.active_tab(name))

    def editor(self, name: str) -> Locator:
        """The text editor that shows the tab's document."""
        return self.group(name).locator(".editor-container .monaco-editor").first

    def panel(self, title: str) -> Locator:
        """The group of editors that shows a panel of an extension."""
        tab = self.page.locator(f'.tab.active[aria-label^="{title}"]')
        return self.page.locator(".editor-group-container", has=tab)

    def webview(self) -> FrameLocator:
        return self.page.frame_locator("iframe.webview.ready").frame_locator("iframe#active-frame")

    # What a person does.

    def run(self, command: str) -> None:
        """From the command palette, by its whole name; the keys bound to it follow a comma."""
        self._ask("F1", f">{command}", f'[aria-label="{command}"]', f'[aria-label^="{command}, "]')

    def build(self) -> None:
        """For the symbol under the cursor."""
        self.run("Sightline: Build AI Context")

    def choose_file(self, path: Path) -> None:
        """In the dialog for files.

        Once it has listed its folder it writes the folder's path into its field, over what was
        typed before; a person then types again.
        """
        expect(self.quick_input).to_have_value(re.compile("^/"), timeout=PATIENCE * 1000)
        end = time.monotonic() + PATIENCE
        while self.quick_widget.is_visible():
            if time.monotonic() > end:
                raise AssertionError("the dialog for files stays open")
            with suppress(GaveUpError, AssertionError):
                self.quick_input.fill(str(path), timeout=5000)
                self.quick_input.press("Enter", timeout=5000)
                expect(self.quick_widget).to_be_hidden(timeout=5000)

    def choose(self, row: Locator, entry: str) -> None:
        """From the context menu of a row.

        A menu that has just opened is deaf to clicks; a person who sees it stay clicks again.
        """
        row.click(button="right")
        item = self.page.get_by_role("menuitem", name=entry)
        item.wait_for()

        def is_taken() -> bool:
            with suppress(GaveUpError):
                item.click(timeout=1000)
                item.wait_for(state="hidden", timeout=1000)
            return not item.is_visible()

        wait_until(is_taken)

    def take_action(self, name: str) -> None:
        """From the lightbulb of the cursor's line.

        The list has what extensions offered when it was opened: one that starts late is asked when
        it is opened again.
        """
        action = self.page.locator(".action-widget .monaco-list-row", has_text=name)

        def is_taken() -> bool:
            self.page.keyboard.press("Control+.")
            try:
                action.click(timeout=5000)
            except GaveUpError:
                self.page.keyboard.press("Escape")
                return False
            return True

        wait_until(is_taken)

    def focus(self, name: str) -> None:
        """Give the document's editor the keyboard and leave the cursor where it was.

        A panel that was moved loads again and then takes the keyboard; a person clicks again.
        """
        focused = self.group(name).locator(".editor-container .monaco-editor.focused")

        def has_keyboard() -> bool:
            with suppress(GaveUpError):
                self.tab(name).click(timeout=1000)
                focused.first.wait_for(timeout=1000)
            return focused.count() > 0

        wait_until(has_keyboard)
        self.active_tab(name).wait_for()

    def append(self, name: str, text: str) -> None:
        """Type at the end of the cursor's line; type again if something else took the keys."""

        def is_typed() -> bool:
            self.focus(name)
            self.page.keyboard.press("End")
            self.page.keyboard.type(text)
            with suppress(GaveUpError):
                self.page.locator(f'.tab.active.dirty[data-resource-name="{name}"]').wait_for(
                    timeout=5000
                )
            return self.page.locator(f'.tab.dirty[data-resource-name="{name}"]').count() > 0

        wait_until(is_typed)

    def text_of(self, name: str) -> str:
        """The whole text of the document, from the editor's model; it gets the focus."""
        self.tab(name).click()
        return self._all_of(self.editor(name))

    def resize(self, width: int, height: int) -> None:
        """For a picture that has room for what it shows."""
        self.page.set_viewport_size({"width": width, "height": height})
        workbench = self.page.locator(".monaco-workbench")
        wait_until(
            lambda: workbench.bounding_box() == {"x": 0, "y": 0, "width": width, "height": height}
        )

    def use_colours(self, scheme: Literal["light", "dark"]) -> None:
        """The workbench follows the system's colours."""
        self.page.emulate_media(color_scheme=scheme)
        theme = "vs-dark" if scheme == "dark" else "vs"
        self.page.locator(f".monaco-workbench.{theme}").wait_for()

    def servers(self) -> set[int]:
        """This window's language servers, without their own workers."""
        return self.server.language_servers() - self._other_servers

    def clipboard(self) -> str:
        text = self.page.evaluate("navigator.clipboard.readText()")
        assert isinstance(text, str)
        return text

    def keep(self) -> None:
        """What a person needs to see why a test failed."""
        self.kept.mkdir(parents=True, exist_ok=True)
        with suppress(Exception):
            self.page.screenshot(path=self.kept / "screen.png")
        (self.kept / "console.log").write_text("\n".join(self.console), encoding="utf-8")
        if self.server.log.exists():
            (self.kept / "code-server.log").write_bytes(self.server.log.read_bytes())

    def _all_of(self, editor: Locator) -> str:
        """Screens show only the lines that are in sight, so the text goes through the clipboard."""
        editor.locator(".view-lines").click()
        self.page.evaluate("navigator.clipboard.writeText('')")
        self.page.keyboard.press("Control+A")
        self.page.keyboard.press("Control+C")
        wait_until(lambda: self.clipboard() != "")
        return self.clipboard()

    def _ask(self, key: str, text: str, *rows: str, says: str = "") -> None:
        """Opens a quick input, fills it and takes the row.

        The workbench closes it when something else takes the focus, as a document does that opens
        late; a person then asks again.
        """
        end = time.monotonic() + PATIENCE
        row = self.quick_widget.locator(
            ", ".join(f".monaco-list-row{each}" for each in rows), has_text=says
        )
        while True:
            try:
                self.page.keyboard.press(key)
                self.quick_input.fill(text, timeout=5000)
                row.first.click(timeout=5000)
            except GaveUpError:
                if time.monotonic() > end:
                    raise
                self.page.keyboard.press("Escape")
            else:
                return

    def _note(self, message: ConsoleMessage) -> None:
        self.console.append(f"{message.type}: {message.text}")

    def _refuse(self, route: Route) -> None:
        self.outside.add(urlsplit(route.request.url).hostname or "")
        route.abort()
