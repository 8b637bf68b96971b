"""A workbench with the extension in it. Whatever is started here ends with the package's tests."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Protocol

import pytest
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

from tests.editors.vscode.installation import build_extension, chromium, install_editor
from tests.editors.vscode.server_process import PATIENCE, CodeServer, running_code_server
from tests.editors.vscode.workbench import Workbench
from tests.editors.workspace import make_workspace

IMAGES = Path(__file__).parents[3] / "docs" / "images"
PICTURES = (
    "budget-dark",
    "budget-light",
    "context-view",
    "status-ok",
    "status-refuse",
    "status-tooltip",
    "status-warn",
    "workbench",
)
SIGHTLINE = Path(sys.executable).with_name("sightline")

Windows = Callable[[CodeServer], Workbench]


class Picture(Protocol):
    def __call__(self, name: str, page: Page, region: Locator | None = None) -> None:
        """Of the page, or of a region of it."""


_WINDOWS = pytest.StashKey[list[Workbench]]()


@pytest.fixture(scope="package")
def extension(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `.vsix` as people get it; where the editor cannot be had, nothing is built for it."""
    install_editor()
    out = tmp_path_factory.mktemp("extension") / "sightline.vsix"
    build_extension(out)
    return out


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Package scope, because the driver's event loop keeps other tests from having theirs."""
    expect.set_options(timeout=PATIENCE * 1000)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=chromium(),
            # Chromium ends where its GPU process gets no sandbox, as in some containers.
            args=[
                "--disable-gpu",
                "--disable-gpu-sandbox",
                "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
            ],
        )
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def code_server(extension: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[CodeServer]:
    place = tmp_path_factory.mktemp("code-server")
    machine = {"sightline.server.path": str(SIGHTLINE)}
    with running_code_server(place, extension, machine, trusting=True) as server:
        yield server


@pytest.fixture
def windows(
    request: pytest.FixtureRequest, browser: Browser, tmp_path: Path, pictures_wanted: bool
) -> Iterator[Windows]:
    """Windows that are closed with the test, and kept to look at when it fails."""
    opened: list[Workbench] = request.node.stash.setdefault(_WINDOWS, [])

    def open_window(server: CodeServer) -> Workbench:
        kept = tmp_path / f"window-{len(opened) + 1}"
        opened.append(Workbench(server, browser, kept, scale=2 if pictures_wanted else 1))
        return opened[-1]

    yield open_window
    for window in opened:
        window.close()
    assert [host for window in opened for host in window.outside] == []


@pytest.fixture
def window(windows: Windows, code_server: CodeServer) -> Workbench:
    return windows(code_server)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_workspace(tmp_path / "orders-project")


@pytest.fixture(scope="session")
def pictures_wanted(request: pytest.FixtureRequest) -> bool:
    """Whether pictures of the documentation are asked for or missing."""
    missing = [name for name in PICTURES if not _image(name).exists()]
    return bool(request.config.getoption("--update-golden") or missing)


@pytest.fixture
def picture(pictures_wanted: bool) -> Picture:
    """Writes a picture of the documentation where it is wanted: else tests change no file."""

    def take(name: str, page: Page, region: Locator | None = None) -> None:
        assert name in PICTURES
        if not pictures_wanted:
            return
        IMAGES.mkdir(parents=True, exist_ok=True)
        clip = region.bounding_box() if region else None
        page.screenshot(path=_image(name), animations="disabled", caret="hide", clip=clip)

    return take


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A failure names the folders with the screens and the logs of its windows."""
    report = yield
    if report.failed:
        for window in item.stash.get(_WINDOWS, []):
            window.keep()
            report.sections.append(("Window kept", str(window.kept)))
    return report


def _image(name: str) -> Path:
    return IMAGES / f"vscode-{name}.png"
