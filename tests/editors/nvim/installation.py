"""Neovim from Debian, unpacked into a folder: nothing is installed into the system.

A package is taken with everything that it depends on, its C library included, from another suite
of the mirror that this machine's apt is set up with; the one executable is then pointed at them.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
import sysconfig
from collections.abc import Sequence
from pathlib import Path

import attrs

from tests.editors.installing import installed, unavailable

_KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
_OLDEST = (0, 10)
_SECONDS = 600


@attrs.frozen
class Installation:
    executable: Path
    luacheck: Path | None
    """The script of luacheck, where it came with it; Neovim itself can run it."""
    lua_path: str
    """For `LUA_PATH` and `LUA_CPATH`, separated by a line: where luacheck's modules are."""


def oldest_neovim() -> Installation:
    """The oldest one that the plugin is for."""
    return _neovim(["trixie"])


def newest_neovim() -> Installation:
    return _neovim(["forky", "sid"])


def _neovim(suites: Sequence[str]) -> Installation:
    try:
        folder = installed("neovim", f"{suites[0]}-2", lambda place: _unpack(suites, place))
    except (OSError, subprocess.SubprocessError, LookupError) as error:
        found = shutil.which("nvim")
        if found is not None and _version(Path(found)) >= _OLDEST:
            return Installation(Path(found), None, "")
        unavailable("NEOVIM", _reason(error))
    share = folder / "root/usr/share/lua/5.1"
    library = next((folder / "root/usr/lib").glob("*-linux-gnu*/lua/5.1"), share)
    script = folder / "root/usr/bin/luacheck"
    return Installation(
        folder / "run" / "nvim",
        script if script.exists() else None,
        f"{share}/?.lua;{share}/?/init.lua\n{library}/?.so",
    )


def _reason(error: Exception) -> str:
    if isinstance(error, subprocess.CalledProcessError):
        return f"{error.cmd[0]} said: {error.stderr.strip()[-500:]}"
    return f"{type(error).__name__}: {error}"


def _version(executable: Path) -> tuple[int, int]:
    said = _run([str(executable), "--version"])
    match = re.match(r"NVIM v(\d+)\.(\d+)", said)
    return (int(match[1]), int(match[2])) if match else (0, 0)


def _unpack(suites: Sequence[str], folder: Path) -> None:
    for suite in suites:
        with contextlib.suppress(subprocess.SubprocessError):
            _download(suite, folder)
            break
    else:
        raise LookupError(f"apt's mirror has none of the suites {', '.join(suites)}")
    root = folder / "root"
    root.mkdir()
    for package in sorted((folder / "apt/cache/archives").glob("*.deb")):
        _run(["dpkg-deb", "--extract", str(package), str(root)])
    for name in ("lib", "lib64", "bin", "sbin"):
        if not (root / name).exists():
            (root / name).symlink_to(f"usr/{name}")
    _point(root)
    run = folder / "run"
    run.mkdir()
    script = run / "nvim"
    script.write_text(
        "#!/bin/sh\n"
        f"VIMRUNTIME='{root}/usr/share/nvim/runtime' exec '{root}/usr/bin/nvim' "
        f"--cmd 'set rtp^={root}/usr/lib/nvim' \"$@\"\n"
    )
    script.chmod(0o755)
    for left in (folder / "apt", *(root / "usr/share").glob("[dlm][oa][cn]*"), root / "var"):
        shutil.rmtree(left, ignore_errors=True)
    if _version(script) < _OLDEST:
        raise LookupError("the Neovim that was unpacked does not run")


def _download(suite: str, folder: Path) -> None:
    apt = folder / "apt"
    shutil.rmtree(apt, ignore_errors=True)
    for place in ("state/lists/partial", "cache/archives/partial"):
        (apt / place).mkdir(parents=True)
    (apt / "status").touch()
    signed = f"[signed-by={_KEYRING}] " if _KEYRING.exists() else ""
    (apt / "sources.list").write_text(f"deb {signed}{_mirror()} {suite} main\n")
    options = {
        "Dir::State": apt / "state",
        "Dir::State::status": apt / "status",
        "Dir::Cache": apt / "cache",
        "Dir::Etc::sourcelist": apt / "sources.list",
        "Dir::Etc::sourceparts": "/dev/null",
        "Dir::Etc::preferences": "/dev/null",
        "Dir::Etc::preferencesparts": "/dev/null",
        "APT::Install-Recommends": "0",
        "APT::Sandbox::User": "",
        "Acquire::Languages": "none",
        "Debug::NoLocking": "true",
    }
    command = ["apt-get", "-qq"]
    for name, value in options.items():
        command += ["-o", f"{name}={value}"]
    _run([*command, "update"])
    _run([*command, "--yes", "--download-only", "install", "neovim", "lua-check"])


def _mirror() -> str:
    """The mirror that this machine gets its own packages from."""
    # A machine that has never asked its mirror for anything knows it all the same.
    said = _run(["apt-get", "-o", "Debug::NoLocking=true", "--print-uris", "update"])
    mirrors: list[str] = re.findall(r"^'(.+?)/dists/(?!.*security)", said, re.MULTILINE)
    if not mirrors:
        raise LookupError("apt has no mirror")
    return mirrors[0]


def _point(root: Path) -> None:
    """Make the executable use the loader and the libraries that came with it.

    Neovim's terminal interface starts itself again, so to start it through the loader is no way.
    """
    loaders = sorted(root.glob("usr/lib*/ld-linux*.so.*"))
    loaders += sorted(root.glob("usr/lib/*/ld-linux*.so.*"))
    libraries = sorted(root.glob("usr/lib/*-linux-gnu*"))
    if not loaders or not libraries:
        raise LookupError("the packages have no C library")
    paths = ":".join([*map(str, libraries), str(root / "usr/lib")])
    executable = str(root / "usr/bin/nvim")
    tool = _patchelf()
    _run([tool, "--set-interpreter", str(loaders[0]), executable])
    _run([tool, "--force-rpath", "--set-rpath", paths, executable])


def _patchelf() -> str:
    beside = Path(sysconfig.get_path("scripts")) / "patchelf"
    found = str(beside) if beside.exists() else shutil.which("patchelf")
    if found is None:
        raise LookupError("patchelf is not installed")
    return found


def _run(command: list[str]) -> str:
    return subprocess.run(
        command, check=True, capture_output=True, text=True, timeout=_SECONDS
    ).stdout
