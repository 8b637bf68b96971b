"""Command lines: the words of a command, and which of them `commands.toml` calls a password.

The names of the programs are looked for in one pass. The words behind one are read once each, so
the cost grows with the text alone. A command may stand in a shell, in quotes within another one, or
as a list of strings: `["mysql", "-p…"]`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from importlib.resources import files

import attrs

from sightline.egress.generated import is_generated
from sightline.egress.headers import is_secret_word
from sightline.egress.model import Certainty, Finding
from sightline.egress.named_values import Form
from sightline.egress.randomness import is_hexadecimal
from sightline.egress.secret_patterns import compiled_for_texts, compiled_for_values
from sightline.egress.weak import is_weak_content
from sightline.text import Span

COMMANDS = files("sightline.egress").joinpath("commands.toml").read_bytes()


@attrs.frozen
class _CommandForm:
    """One way in which a program takes a password."""

    needed: tuple[bytes, ...] = ()
    """Words that stand somewhere in the command."""
    options: dict[bytes, bytes] = attrs.field(factory=dict)
    """Options with a password behind them, and the sign between a user and it."""
    valued: frozenset[bytes] = frozenset()
    """Options with something else behind them."""
    flags: frozenset[bytes] = frozenset()
    """Options of which one stands in the command, where there are any."""
    words: tuple[bytes, ...] = ()


@attrs.frozen
class _Word:
    start: int
    end: int
    content: bytes
    is_quoted: bool


_WORD = compiled_for_values(
    rb"(?:[ \t]|\\\r?\n|\^\r?\n|`\r?\n){0,80}"
    rb"((?:\\\"[^\"\\\r\n]{0,400}\\\"|\"(?:[^\"\\\r\n]|\\.){0,400}\"|'[^'\r\n]{0,400}'"
    rb"|\\[^\"\r\n]|[^\s\"'\\;|]){1,500})"
)
_ITEM = compiled_for_values(rb"[\s,]{0,40}(\"(?:[^\"\\\r\n]|\\.){0,500}\"|'[^'\r\n]{0,500}')")
_LIST_END = compiled_for_values(rb"[\"'][ \t\r\n]{0,20},")
_BLANK = compiled_for_values(rb"[ \t]")
_LETTERS = compiled_for_values(rb"[a-z\-]+")
_ORACLE = compiled_for_values(rb"(?:userid=)?[A-Za-z_][A-Za-z0-9_$#]*/([^\s/@]+)(?:@\S*|[ \t].*)?")
_NO_PASSWORDS = frozenset(
    b"file env fd stdin keychain http https host port ftp file:// pem sed @env @keychain".split()
)
"""What stands before a colon where no user does."""
_WRAPPERS = frozenset(b"docker podman oc nerdctl".split())
_SHOUTED = frozenset(b"net sqlcmd osql bcp isql sqlplus psexec plink pscp certutil".split())
_BACKSLASH = 0x5C
_LONGEST = 2_000
_STOPS = frozenset((b"&&", b"||", b"&", b"-->", b"#", b"<", b">"))
_MOST_WORDS = 60
_DEEPEST = 2
_SHORTEST = 4


def command_lines(data: bytes) -> Iterator[Finding]:
    yield from _commands(data, 0, len(data), 0)


def _commands(data: bytes, position: int, end: int, depth: int) -> Iterator[Finding]:
    while (found := _PROGRAM.search(data, position, end)) is not None:
        position = found.end(2)
        words = _words(data, found.start(1), position, end)
        if words:
            position = max(position, words[-1].end)
        yield from _found_in(_forms_of(found.group(1)), words)
        for word in words:
            if depth < _DEEPEST and word.is_quoted and _BLANK.search(word.content) is not None:
                yield from _commands(data, word.start, word.end, depth + 1)


def _forms_of(program: bytes) -> Sequence[_CommandForm]:
    return _FORMS.get(program) or _FORMS.get(program.lower(), ())


def _words(data: bytes, start: int, position: int, limit: int) -> list[_Word]:
    """What stands behind a program, up to the end of its command."""
    is_wrapper = data[start:position] in _WRAPPERS
    quote = data[start - 1 : start]
    if quote in (b'"', b"'", b"`") and start:
        if data[position : position + 1] == quote and _LIST_END.match(data, position) is not None:
            return _listed_words(data, position + 1, limit)
        closed = data.find(quote, position, min(limit, position + _LONGEST))
        while closed > position and data[closed - 1] == _BACKSLASH:
            closed = data.find(quote, closed + 1, min(limit, position + _LONGEST))
        limit = closed if closed >= 0 else limit
    return _shell_words(data, position, limit, is_wrapper=is_wrapper)


def _shell_words(data: bytes, position: int, limit: int, *, is_wrapper: bool) -> list[_Word]:
    words: list[_Word] = []
    while len(words) < _MOST_WORDS:
        found = _WORD.match(data, position, limit)
        if found is None or found.group(1) in _STOPS:
            break
        word = _word(data, found.start(1), found.end(1))
        if is_wrapper and words and word.content in _FORMS:
            # `docker exec db mysql -p…`: that is a command of its own.
            break
        position = found.end()
        if not words and word.is_quoted and _BLANK.search(word.content) is not None:
            # All of a command in quotes: `db2 "connect to …"`.
            words = _shell_words(data, word.start, word.end, is_wrapper=False)
        words.append(word)
        if data[position : position + 1] in (b";", b"|", b"\n", b"\r", b'"', b"'"):
            break
    return words


def _listed_words(data: bytes, position: int, limit: int) -> list[_Word]:
    words: list[_Word] = []
    while len(words) < _MOST_WORDS:
        found = _ITEM.match(data, position, limit)
        if found is None:
            break
        position = found.end()
        words.append(_word(data, found.start(1), found.end(1)))
    return words


def _word(data: bytes, start: int, end: int) -> _Word:
    """Without the quotes around it."""
    content = data[start:end]
    size = 2 if content[:1] == b"\\" and content[1:2] in (b'"', b"'") else 1
    if len(content) > 2 * size and content[size - 1 : size] in (b'"', b"'"):
        ending = content[size - 1 : size]
        if content[-1:] == ending and ending not in content[size : -size or None]:
            return _Word(start + size, end - size, content[size:-size], is_quoted=True)
    return _Word(start, end, content, is_quoted=False)


def _found_in(forms: Sequence[_CommandForm], words: list[_Word]) -> Iterator[Finding]:
    for form in forms:
        if any(all(word.content != need for word in words) for need in form.needed):
            continue
        if form.flags and not any(word.content in form.flags for word in words):
            continue
        if form.options:
            yield from _behind_options(form.options, words)
        else:
            yield from _in_places(form, words)


def _behind_options(options: dict[bytes, bytes], words: list[_Word]) -> Iterator[Finding]:
    for index, word in enumerate(words):
        content = word.content
        if content[:1] not in (b"-", b"/") or len(content) < 2:
            continue
        name = content.lower() if content[:1] == b"/" else content
        if name in options:
            if index + 1 < len(words):
                value = words[index + 1]
                if value.is_quoted or value.content[:1] != b"-":
                    yield from _value(value, value.start, options[name])
            continue
        option = _attached_to(name, options)
        if option is None:
            continue
        start = word.start + len(option)
        rest = content[len(option) :]
        if rest[:1] in (b"=", b":"):
            yield from _value(word, start + 1, options[option])
        elif len(option) <= 3 and _LETTERS.fullmatch(rest.strip(b"\"'")) is None:
            yield from _value(word, start, options[option])


def _attached_to(word: bytes, options: dict[bytes, bytes]) -> bytes | None:
    """The longest option that a word begins with."""
    fitting = [option for option in options if word.startswith(option)]
    return max(fitting, key=len) if fitting else None


def _in_places(form: _CommandForm, words: list[_Word]) -> Iterator[Finding]:
    plain: list[_Word] = []
    is_value = False
    for word in words:
        if is_value:
            is_value = False
        elif word.content[:1] == b"-" and len(word.content) > 1 and not word.is_quoted:
            is_value = word.content in form.valued
        else:
            plain.append(word)
    is_anywhere = form.words[0][:1] not in b".!"
    for first in range(len(plain) - len(form.words) + 1 if is_anywhere else 1):
        some = plain[first : first + len(form.words)]
        if len(some) == len(form.words) and all(map(_fits, form.words, some)):
            for sign, word in zip(form.words, some, strict=True):
                if sign == b"./!":
                    yield from _of_oracle(word)
                elif sign.endswith(b"!"):
                    yield from _value(word, word.start, sign[1:-1])
            return


def _fits(sign: bytes, word: _Word) -> bool:
    return sign[:1] in b".!" or sign == word.content.lower()


def _of_oracle(word: _Word) -> Iterator[Finding]:
    found = _ORACLE.fullmatch(word.content)
    if found is not None:
        yield from _judged(found.group(1), word.start + found.start(1))


def _value(word: _Word, start: int, sign: bytes) -> Iterator[Finding]:
    """The password in a word, from an offset on; behind a user where there is a sign for it."""
    content = word.content[start - word.start :]
    if sign:
        one = sign[:1]
        user, found, rest = content.rpartition(one) if len(sign) > 1 else content.partition(one)
        if not found or user.lower().strip(b"\"'") in _NO_PASSWORDS:
            return
        start += len(content) - len(rest)
        content = rest
    while content[:1] and content[:1] in b"\"'\\":
        content = content[1:]
        start += 1
    if not word.is_quoted:
        content = content.rstrip(b"\"'`,;")
    yield from _judged(content, start)


def _judged(value: bytes, start: int) -> Iterator[Finding]:
    if len(value) < _SHORTEST or value[:2] in (b"$(", b"${", b"//"):
        return
    span = Span(start, start + len(value))
    is_key = len(value) >= 32 and is_hexadecimal(value) and len(set(value)) >= 8
    if is_key or is_secret_word(value) or is_generated(value):
        yield Finding(span, "command-password", "password", Certainty.CERTAIN, True)
    elif is_weak_content(value, b"password", Form.QUOTED if b" " in value else Form.WORD):
        yield Finding(span, "weak-password", "weak", Certainty.WEAK, True)


def _load() -> dict[bytes, tuple[_CommandForm, ...]]:
    forms: dict[bytes, tuple[_CommandForm, ...]] = {}
    for names, written in tomllib.loads(COMMANDS.decode("utf-8")).items():
        read = tuple(_form(each.encode("ascii")) for each in written)
        for name in names.encode("ascii").split():
            forms[name] = forms.get(name, ()) + read
    return forms


def _form(written: bytes) -> _CommandForm:
    """What a form of the data means: see the head of `commands.toml`."""
    tokens = written.split()
    if b"!" in written:
        options = [token for token in tokens if token[:1] == b"-"]
        flags = [each for token in options if token[-1:] != b"." for each in token.split(b"|")]
        return _CommandForm(
            valued=frozenset(token[:-1] for token in options if token[-1:] == b"."),
            flags=frozenset(flags),
            words=tuple(token for token in tokens if token[:1] != b"-"),
        )
    return _CommandForm(
        needed=tuple(token for token in tokens if token[:1] not in (b"-", b"/")),
        options=dict(_option(token) for token in tokens if token[:1] in (b"-", b"/")),
    )


def _option(token: bytes) -> tuple[bytes, bytes]:
    name = token.rstrip(b":%,")
    return name, token[len(name) :]


def _is_of_windows(program: bytes) -> bool:
    """Return True where a program may be written in capitals: elsewhere they begin prose."""
    return program in _SHOUTED or any(
        option[:1] == b"/" for form in _FORMS[program] for option in form.options
    )


_FORMS = _load()
_PROGRAM = compiled_for_texts(
    rb"(?m)(?:^|[\s\"'`;|&($/\\\[,=>@!{])("
    + b"|".join(
        name.replace(b".", rb"\.")
        for name in sorted({*_FORMS, *(each.upper() for each in _FORMS if _is_of_windows(each))})
    )
    + rb")((?:\.(?:exe|cmd|bat|sh|py|com|jar))?)(?:[ \t]|[\"'][ \t]{0,4},)"
)
