"""URIs: strictly parsed, never repaired. Only `file:` names a file; all others are buffers.

Units: a URI as the client writes it; an absolute path of this machine. A module that knows the root
makes a workspace path (relative, `/` separated) from the second.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import quote

import attrs

_SCHEME = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):(?P<rest>.*)", re.DOTALL)
_ESCAPE = re.compile(r"%(?P<digits>[0-9A-Fa-f]{2})?")
_DRIVE = re.compile(r"/(?P<drive>[A-Za-z])(?::|%3[Aa])(?=/|\Z)")
_SAFE = "/-._~!$&'()*+,;=@"


@attrs.frozen
class FilePath:
    """The absolute path of a `file:` URI, not yet checked against any workspace."""

    path: str


@attrs.frozen
class Buffer:
    """A document without a file: `untitled:`, `git:`, a notebook's cell, and so on."""

    scheme: str


@attrs.frozen
class BadUri:
    problem: str


def parse(uri: str, *, windows: bool = os.name == "nt") -> FilePath | Buffer | BadUri:
    found = _SCHEME.fullmatch(uri)
    if not found:
        return BadUri("it has no scheme")
    scheme, rest = found["scheme"].lower(), found["rest"]
    if scheme != "file":
        return Buffer(scheme)
    if "#" in rest or "?" in rest:
        return BadUri("a file has no query and no fragment")
    if rest.startswith("//"):
        authority, slash, path = rest[2:].partition("/")
        rest = slash + path
        if authority and authority.lower() != "localhost":
            return BadUri("a file on another host is not ours")
    if not rest.startswith("/"):
        return BadUri("its path is not absolute")
    decoded = _decoded(rest)
    if isinstance(decoded, BadUri):
        return decoded
    if windows:
        drive = _DRIVE.match(rest)
        if not drive:
            return BadUri("its path has no drive")
        below = decoded[3:] or "/"
        if ":" in below:
            # It would name an alternate stream of a file instead of a file.
            return BadUri("its path holds a character that no name has")
        decoded = f"{drive['drive'].upper()}:{below}"
    if any(part in (".", "..") for part in decoded.split("/")):
        return BadUri("its path has '.' or '..' in it")
    return FilePath(decoded)


def of_path(path: Path) -> str:
    """Return the URI of an absolute path, as editors write it."""
    written = path.as_posix()
    if not written.startswith("/"):
        written = f"/{written[0].lower()}{written[1:]}"
        return "file://" + quote(written, safe=_SAFE)
    return "file://" + quote(os.fsencode(written), safe=_SAFE + ":")


def _decoded(written: str) -> str | BadUri:
    """Decode percent-encoding; the result must be UTF-8 without NUL and without encoded slashes."""
    parts: list[bytes] = []
    end = 0
    for found in _ESCAPE.finditer(written):
        if found["digits"] is None:
            return BadUri("its percent-encoding is broken")
        byte = bytes([int(found["digits"], 16)])
        if byte in (b"\0", b"/"):
            return BadUri("its percent-encoding hides a character that no name has")
        parts += [written[end : found.start()].encode("utf-8", "surrogatepass"), byte]
        end = found.end()
    parts.append(written[end:].encode("utf-8", "surrogatepass"))
    try:
        decoded = b"".join(parts).decode("utf-8")
    except UnicodeDecodeError:
        return BadUri("its percent-encoding is not UTF-8")
    if "\0" in decoded or "\\" in decoded:
        return BadUri("its path holds a character that no name has")
    return decoded
