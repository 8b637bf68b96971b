"""Private keys in pieces: every piece is covered, whatever decorates it."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable

import pytest

from sightline.egress import scan
from tests.egress.values import (
    binary_key,
    cut,
    key_lines,
    marker,
    private_key,
    public_certificate,
)

_Writer = Callable[[list[str]], str]


def _each(before: str, after: str, head: str = "", tail: str = "") -> _Writer:
    """A writer that puts the same around each piece."""
    return lambda pieces: head + "".join(f"{before}{piece}{after}" for piece in pieces) + tail


_WRITERS: dict[str, _Writer] = {
    "lines": lambda pieces: "\n".join(pieces) + "\n",
    "array": _each('    "', '",\n', "PARTS = [\n", "]\n"),
    "array in one line": lambda pieces: f"const parts = {json.dumps(pieces)};\n",
    "tuple of bytes": _each("    b'", "'\n", "PARTS = (\n", ")\n"),
    "sum": lambda pieces: "var text =\n  " + " +\n  ".join(f'"{each}"' for each in pieces) + ";\n",
    "sum in one line": lambda pieces: "x = " + " + ".join(f"'{each}'" for each in pieces),
    "sum, sign first": lambda pieces: 'x = ""\n' + "".join(f'    + "{p}"\n' for p in pieces),
    "Lua": lambda pieces: "local text = " + " ..\n  ".join(f'"{each}"' for each in pieces),
    "escaped line ends": _each('"', '\\n"\n', "char text[] =\n", ";\n"),
    "appended": _each('text += "', '";\n', 'var text = "";\n'),
    "called": _each('        builder.append("', '");\n'),
    "long call": _each('        this.someBuilderOfText.appendNextPartOfIt("', '");\n'),
    "numbered": lambda pieces: "".join(f'L{i} = "{p}"\n' for i, p in enumerate(pieces)),
    "hash comment": _each("# ", "\n", "import os\n", "\nprint()\n"),
    "line comment": _each("// ", "\n"),
    "line comment, no space": _each("//", "\n"),
    "documentation comment": _each(" * ", "\n", "/**\n", " */\n"),
    "SQL comment": _each("-- ", "\n"),
    "batch comment": _each("REM ", "\n"),
    "semicolons": _each(";; ", "\n"),
    "YAML list": _each("  - ", "\n", "lines:\n", "next: 1\n"),
    "YAML list of strings": _each("  - '", "'\n", "lines:\n"),
    "YAML block": _each("    ", "\n", "text: |\n", "next: 1\n"),
    "CSV": lambda pieces: "n,text\n" + "".join(f"{i},{p}\n" for i, p in enumerate(pieces)),
    "CSV with quotes": lambda p: "n,a\n" + "".join(f'{i},"{each}",x\n' for i, each in enumerate(p)),
    "Markdown quote": _each("> ", "\n", "As he wrote:\n\n"),
    "Markdown list": lambda pieces: "".join(f"{i}. `{p}`\n" for i, p in enumerate(pieces, 1)),
    "table": _each("| ", " |\n", "| part |\n|---|\n"),
    "notebook": lambda pieces: json.dumps({"source": [f"{each}\n" for each in pieces]}, indent=1),
    "shell continuation": lambda pieces: "T=" + "\\\n".join(pieces) + "\n",
    "echo": lambda pieces: "".join(f"echo {each} >> /tmp/out.txt\n" for each in pieces),
    "XML": _each("  <line>", "</line>\n", "<text>\n", "</text>\n"),
    "diff": _each("+", "\n"),
    "diff of strings": _each('+    "', '",\n'),
    "log": _each("2024-01-01T10:00:00 INFO worker: ", "\n"),
    "INI": lambda pieces: "".join(f"line{i} = {p}\n" for i, p in enumerate(pieces)),
}
_ENCODINGS = ["rsa", "pkcs8", "ec", "ed25519", "encrypted", "pkcs12", "openssh"]


def _uncovered(text: str, pieces: list[str]) -> list[str]:
    """The pieces that a reader of the redacted text would still see, in part or whole."""
    spans = [finding.span for finding in scan(text.encode())]
    left = []
    position = 0
    for piece in pieces:
        start = text.index(piece, position)
        position = start + len(piece)
        if not any(span.start <= start and position <= span.end for span in spans):
            left.append(piece)
    return left


@pytest.mark.parametrize("name", _WRITERS)
def test_base64_of_a_key_without_markers(name: str) -> None:
    pieces = cut(base64.b64encode(binary_key("pkcs8")).decode())
    assert not _uncovered(_WRITERS[name](pieces), pieces)


@pytest.mark.parametrize("width", [40, 48, 60, 70, 76, 100])
@pytest.mark.parametrize("name", ["array", "called", "hash comment", "YAML list"])
def test_lines_of_any_width(name: str, width: int) -> None:
    pieces = cut(base64.b64encode(binary_key("rsa")).decode(), width)
    assert not _uncovered(_WRITERS[name](pieces), pieces)


@pytest.mark.parametrize("name", _WRITERS)
def test_base64_of_a_whole_block(name: str) -> None:
    """The block with its markers, in base64 once more."""
    pieces = cut(base64.b64encode(private_key().encode()).decode(), 76)
    assert not _uncovered(_WRITERS[name](pieces), pieces)


@pytest.mark.parametrize("name", _WRITERS)
def test_a_block_whose_end_is_missing(name: str) -> None:
    pieces = private_key().splitlines()[:-1]
    assert not _uncovered(_WRITERS[name](pieces), pieces[1:])


@pytest.mark.parametrize("kind", _ENCODINGS)
def test_every_encoding_in_base64(kind: str) -> None:
    encoded = base64.b64encode(binary_key(kind)).decode()
    assert not _uncovered(f'blob = "{encoded}"\n', [encoded])
    pieces = cut(encoded)
    assert not _uncovered(_WRITERS["array"](pieces), pieces)


def _rows(text: str, width: int = 16) -> Callable[[bytes], str]:
    def write(key: bytes) -> str:
        numbers = [text.format(byte, byte - 256 if byte > 127 else byte) for byte in key]
        return "\n  ".join("".join(row) for row in _groups(numbers, width)).rstrip(", ")

    return write


def _groups(numbers: list[str], width: int) -> list[list[str]]:
    return [numbers[at : at + width] for at in range(0, len(numbers), width)]


_LISTS: dict[str, Callable[[bytes], str]] = {
    "C array": _rows("0x{0:02x}, "),
    "C array in capitals": _rows("0x{0:02X},", 12),
    "array with casts": _rows("(byte) 0x{0:02x}, "),
    "array with types": _rows("0x{0:02x}u8, "),
    "array with suffixes": _rows("0x{0:02X}U, "),
    "decimal array": _rows("{0}, "),
    "signed array": _rows("{1}, "),
    "hexadecimal": lambda key: key.hex(),
    "hexadecimal in lines": lambda key: "\n".join(cut(key.hex())),
    "hexadecimal in strings": lambda key: '"\n  "'.join(cut(key.hex())),
    "hexadecimal, added up": lambda key: '" +\n  "'.join(cut(key.hex())),
    "colons": lambda key: key.hex(":"),
    "spaces": lambda key: key.hex(" ").upper(),
    "escapes": _rows("\\x{0:02x}", 10_000),
    "escapes in strings": lambda key: '"\n"'.join(
        "".join(row) for row in _groups([f"\\x{byte:02x}" for byte in key], 16)
    ),
    "dump": lambda key: "\n".join(
        f"{at:08x}: {key[at : at + 16].hex(' ', 2)}  ................"
        for at in range(0, len(key), 16)
    ),
}


@pytest.mark.parametrize("kind", ["rsa", "pkcs8", "ec", "ed25519", "encrypted", "pkcs12"])
@pytest.mark.parametrize("name", _LISTS)
def test_the_bytes_of_a_key_as_numbers(name: str, kind: str) -> None:
    """From the first number to the last."""
    body = _LISTS[name](binary_key(kind))
    before = 'blob = {"'
    text = f'{before}{body}"}};\nint after = 1;\n'
    start = len(before) + (len("00000000: ") if name == "dump" else 0)
    [finding] = scan(text.encode())
    assert finding.span.start <= start + len("(byte) 0x" if "casts" in name else "0x")
    assert len(before) + len(body) <= finding.span.end <= len(text) - len("int after = 1;\n")


@pytest.mark.parametrize("name", _WRITERS)
def test_a_certificate_is_no_secret(name: str) -> None:
    pieces = cut(base64.b64encode(public_certificate()).decode())
    text = "".join(["-----BEGIN CERTIFICATE-----\n", *(f"{p}\n" for p in pieces)])
    assert scan((text + "-----END CERTIFICATE-----\n").encode()) == ()
    assert scan(_WRITERS[name](pieces).encode()) == ()


def test_a_whole_key_in_pieces_has_sure_bounds() -> None:
    """So the rest of the file can be shown."""
    pieces = cut(base64.b64encode(binary_key("rsa")).decode())
    [finding] = scan(_WRITERS["array"](pieces).encode())
    assert finding.is_bounded
    assert finding.span.start == len('PARTS = [\n    "')


_ENDS = ["%0A", "%0D%0A", "&#10;", "&#xA;", "\\u000a", "\\x0a", "\\n"]


@pytest.mark.parametrize("end", _ENDS)
def test_lines_out_of_a_keys_middle_with_an_escape_between_them(end: str) -> None:
    """As an address, markup or a string writes the end of a line."""
    pieces = key_lines(8)
    text = "https://host.test/?note=" + end.join(pieces) + "&other=1\n"
    (finding,) = [each for each in scan(text.encode()) if each.kind == "private_key"]
    assert not finding.is_bounded


@pytest.mark.parametrize("sign", ["+", "-", "> ", "# "])
def test_a_key_whose_end_is_missing_has_an_empty_line_in_a_difference(sign: str) -> None:
    lines = [marker("BEGIN", "PGP ").replace("KEY-", "KEY BLOCK-"), "", *key_lines(6)]
    text = "\n".join(sign + line for line in lines) + "\n"
    (finding,) = scan(text.encode())
    assert not finding.is_bounded
    assert finding.span.end >= len(text) - 2


def test_a_key_of_putty_is_covered_to_its_last_line() -> None:
    lines = ["PuTTY-User-Key-File-3: ssh-ed25519", "Private-Lines: 3", *key_lines(3)]
    text = "\n".join([*lines, f"Private-MAC: {'5a' * 32}", ""])
    assert not _uncovered(text, key_lines(3))


def test_headers_of_an_encrypted_key_are_a_part_of_it() -> None:
    lines = [marker("BEGIN"), "Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-256-CBC,00", ""]
    assert not _uncovered("\n".join([*lines, *key_lines(4), ""]), key_lines(4))
