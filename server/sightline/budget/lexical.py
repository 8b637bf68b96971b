"""The lexical model: tokens as a weighted sum of patterns in the translated bytes.

    tokens = (Σ coefficient × count + 500) // 1000

Every byte is mapped to a class. The model counts classes, runs of one class and borders between
two. Each count is the number of times that a short pattern occurs in the mapped bytes. So it runs
at the speed of `bytes.translate` and `bytes.count`, without regular expressions and without a loop
over characters.

Invariants:

* No pattern crosses a line break, except those that describe how a line begins, and for these the
  beginning of a text counts as the beginning of a line. So the counts of pieces add up to the
  counts of the joined text if every piece except the last ends in `\\n`.
* No coefficient is negative and no count decreases when text is appended. So a text never costs
  less than any prefix of it.
* Coefficients and counts together are the version: a change in either makes a new version.
"""

from __future__ import annotations

VERSION = "1"

PROFILES: tuple[str, ...] = ("cl100k", "claude", "o200k")

_SCRIPTS: tuple[tuple[str, int, int], ...] = (
    ("latin_accents", 0xC0, 0xC3),
    ("latin_extended", 0xC4, 0xCB),
    ("greek", 0xCC, 0xCF),
    ("cyrillic", 0xD0, 0xD3),
    ("armenian", 0xD4, 0xD5),
    ("hebrew", 0xD6, 0xD7),
    ("arabic", 0xD8, 0xDF),
    ("indic_thai", 0xE0, 0xE0),
    ("georgian_khmer", 0xE1, 0xE1),
    ("symbols", 0xE2, 0xE2),
    ("kana", 0xE3, 0xE3),
    ("han", 0xE4, 0xE9),
    ("hangul", 0xEA, 0xED),
    ("private_forms", 0xEE, 0xEF),
    ("emoji", 0xF0, 0xFF),
)
"""Characters beyond ASCII by the first byte of their UTF-8 form; each range is named after its main
script.
"""

# Thousandths of a token for each count, in the order of the profiles. Fitted to whole files of
# public repositories, and to made-up runs of each kind so that no class of bytes is nearly free.
_TABLE: dict[str, tuple[int, int, int]] = {
    "letter_runs": (863, 1006, 863),
    "humps": (372, 802, 493),
    "letter_fours": (147, 70, 140),
    "letter_sixteens": (4272, 4311, 4449),
    "capital_islands": (1458, 796, 1224),
    "consonant_fives": (2556, 2272, 2374),
    "digit_runs": (1447, 1186, 1451),
    "digit_sixes": (2056, 2551, 2057),
    "spaced_digits": (402, 0, 448),
    "punctuation_runs": (595, 1051, 616),
    "punctuation_pairs": (216, 85, 217),
    "punctuation_space": (449, 0, 425),
    "mark_eights": (4354, 5008, 4417),
    "newlines": (515, 918, 481),
    "indented_lines": (709, 0, 791),
    "spaces": (30, 0, 26),
    "tabs": (95, 344, 74),
    "foreign_runs": (335, 368, 153),
    "latin_accents": (991, 992, 980),
    "latin_extended": (2617, 2671, 1632),
    "greek": (996, 1194, 408),
    "cyrillic": (576, 556, 370),
    "armenian": (2188, 2158, 365),
    "hebrew": (1131, 941, 447),
    "arabic": (854, 1064, 418),
    "indic_thai": (1215, 1687, 423),
    "georgian_khmer": (1967, 1195, 458),
    "symbols": (573, 391, 436),
    "kana": (994, 973, 673),
    "han": (1198, 1029, 901),
    "hangul": (1098, 1216, 711),
    "private_forms": (318, 388, 437),
    "emoji": (4940, 3515, 3543),
}

COUNTS: tuple[str, ...] = tuple(_TABLE)
"""What `count` counts, in the order in which it answers.

* letter_runs        runs of ASCII letters; `letter_fours` is Σ ⌊length / 4⌋ over them
* humps              a capital after a small letter, and the last capital before one (`aA`, `AAa`)
* letter_sixteens    Σ ⌊length / 16⌋ over runs of letters of one case
* capital_islands    a small letter between capitals (`AaA`): rare in names, usual in base64
* consonant_fives    Σ ⌊length / 5⌋ over runs of consonants: abbreviations, hashes, base64
* digit_runs         runs of digits; `digit_sixes` is Σ ⌊length / 6⌋; `spaced_digits` after a blank
* punctuation_runs   runs of other visible ASCII, `_` included; pairs are without it, Σ ⌊length / 2⌋
* punctuation_space  punctuation with a blank behind it
* mark_eights        Σ ⌊length / 8⌋ over runs without the characters that lines are drawn with
* newlines           `\\n`, `\\r\\n` and `\\r` alike; `indented_lines` begin with a blank
* foreign_runs       runs of characters beyond ASCII, then each character under its script
"""

COEFFICIENTS: dict[str, tuple[int, ...]] = {
    profile: tuple(row[column] for row in _TABLE.values())
    for column, profile in enumerate(PROFILES)
}
"""The columns of the table."""


def count(data: bytes) -> tuple[int, ...]:
    """Return the counts of a text, in the order of `COUNTS`."""
    is_ascii = data.isascii()
    if not is_ascii:
        data = _valid(data)
    shapes = data.replace(b"\r\n", b"\n").translate(_SHAPE)
    kinds = shapes.translate(_KIND)
    letters = kinds.translate(_LETTERS)
    return (
        _runs(letters),
        shapes.count(b"aA") + shapes.count(b"AAa"),
        letters.count(b"xxxx"),
        shapes.count(_SMALL_SIXTEEN) + shapes.count(_CAPITAL_SIXTEEN),
        shapes.count(b"AaA"),
        data.translate(_CONSONANTS).count(b"xxxxx"),
        _runs(kinds.translate(_DIGITS)),
        kinds.count(b"000000"),
        kinds.count(b" 0"),
        _runs(kinds.translate(_PUNCTUATION)),
        kinds.count(b".."),
        kinds.count(b". "),
        shapes.count(b"........"),
        kinds.count(b"\n"),
        kinds.count(b"\n ") + kinds.startswith(b" "),
        shapes.count(b" "),
        shapes.count(b"\t"),
        *(_NOTHING_FOREIGN if is_ascii else _foreign(shapes, kinds)),
    )


def total(profile: str, counts: tuple[int, ...]) -> int:
    """Return the number of tokens under one profile."""
    weighted = map(int.__mul__, COEFFICIENTS[profile], counts)
    return (sum(weighted) + 500) // 1000


def highest_total(counts: tuple[int, ...]) -> int:
    """Return the highest number of tokens under any profile, for a tokenizer that is not known."""
    return max(total(profile, counts) for profile in PROFILES)


def _foreign(shapes: bytes, kinds: bytes) -> tuple[int, ...]:
    return (_runs(kinds.translate(_FOREIGN)), *map(shapes.count, _SCRIPT_SHAPES))


def _runs(marked: bytes) -> int:
    """Count the runs of `x` in bytes that are all `x` or blank."""
    return marked.count(b" x") + marked.startswith(b"x")


def _valid(data: bytes) -> bytes:
    """Return the bytes with U+FFFD instead of every byte that is not UTF-8, as a decoder would show
    them.
    """
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace").encode("utf-8")
    return data


def _shape(byte: int) -> int:
    """Map bytes to case, digits, blanks, `_`, `-` for line drawing and `.` for other marks.

    A character beyond ASCII becomes its script (0x81 and up), followed by `f` for each further
    byte.
    """
    for number, (_, first, last) in enumerate(_SCRIPTS):
        if first <= byte <= last:
            return 0x81 + number
    character = chr(byte)
    if byte >= 0x80:
        shape = "f"
    elif character.isalpha():
        shape = "a" if character.islower() else "A"
    elif character.isdigit():
        shape = "0"
    elif character in "#*-/=~":
        shape = "-"
    else:
        shape = {"\r": "\n"}.get(character, character if character in " \t\n_" else ".")
    return ord(shape)


def _kind(shape: int) -> int:
    """Map shapes to fewer classes: without case and script, all blanks alike, all marks alike."""
    alike = {ord("A"): ord("a"), ord("\t"): ord(" "), ord("-"): ord(".")}
    return ord("f") if shape > 0x80 else alike.get(shape, shape)


def _marking(members: bytes) -> bytes:
    """Return a table that maps members to `x` and everything else, line breaks too, to a blank."""
    return bytes(ord("x") if byte in members else ord(" ") for byte in range(256))


_SHAPE = bytes(map(_shape, range(256)))
_KIND = bytes(map(_kind, range(256)))
_SCRIPT_SHAPES = tuple(bytes([0x81 + number]) for number in range(len(_SCRIPTS)))
_NOTHING_FOREIGN = (0,) * (1 + len(_SCRIPTS))
_LETTERS = _marking(b"a")
_DIGITS = _marking(b"0")
_PUNCTUATION = _marking(b"._")
_FOREIGN = _marking(b"f")
_CONSONANTS = _marking(b"bcdfghjklmnpqrstvwxyzBCDFGHJKLMNPQRSTVWXYZ")
_SMALL_SIXTEEN = b"a" * 16
_CAPITAL_SIXTEEN = b"A" * 16
