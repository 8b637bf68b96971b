"""Values: which ones only represent a secret (placeholders, templates, references), and which are
one.
"""

from __future__ import annotations

from functools import lru_cache

from sightline.egress.randomness import cost, entropy, is_random
from sightline.egress.secret_patterns import compiled, compiled_for_values

_TEMPLATE = compiled(
    rb"\$\{[^{}\r\n]*\}|\$\([^()\r\n]*\)|#\{[^{}\r\n]*\}|\{\{[^{}\r\n]*\}\}|\$\{\{[^{}\r\n]*\}\}"
    rb"|\{[A-Za-z_][\w.:!\[\]]*\}|\{\d?\}|<%[^\r\n]*%>|\[\[[^\]\r\n]*\]\]|<[A-Za-z][^<>\r\n]*>"
    rb"|%\(\w+\)[sdr]|%[sdvqr@]|\$[A-Za-z_]\w*|%[A-Za-z_]\w+%|@[A-Za-z_]\w*@|\\\([\w.]+\)"
)
# Short words count only at the start of a part: in a long random value they occur by chance.
_PLACEHOLDER = compiled(
    rb"(?i)example|change[_\- ]?(?:me|this|it)\b|place[_\-]?holder|redacted|insert|replace"
    rb"|foo[_\-]?bar|(?:^|[^A-Za-z0-9])(?:your|dummy|sample|fix[_\- ]?me|to[_\-]?do|fake|lorem|mock"
    rb"|enter|not[_\-](?:a|real|set))|(?-i:x{4,}|X{4,})|\*{3,}|\.\.\.|^n/?a$|^<|>$|^my[_\-]"
    rb"|[_\-]here$|^(?:null|none|undefined)$"
)
_ORDINARY_WORDS = compiled(
    rb"(?i)^(?:(?:my|the|a|an|some|your|new|old|user|admin|root|test|tests|testing|db|super|very|"
    rb"default|demo|temp|guest|secure|good|bad|wrong|invalid|valid|correct|strong|weak|long|short|"
    rb"hash|hashed|encrypted|plain|clear|text|pass|passwd|password|passwort|pwd|pw|secret|token|"
    rb"key|api|auth|bearer|access|client|value|string|abc|abcd|qwerty|letmein|hello|world|foo|bar|"
    rb"baz|mysql|postgres|redis|rabbit|mongo|oauth|jwt|id|one|two|first|second|welcome|dev|prod|"
    rb"private|public|and|or|is|to|for|of|at|with)"
    rb"[_. \-]*)+\d{0,4}$"
)
# Of a file or an image, named after how it is made. Of SSH: `AAAAB3NzaC1yc2E…`, the length of a
# name and the name.
_PUBLIC_KEY = compiled_for_values(
    rb"AAAA(?:B3NzaC1|C3NzaC1|E2VjZHNh|GnNrLXNzaC1|InNrLWVjZHNh)[A-Za-z0-9+/=\s\"'\\.]*"
    # `-----BEGIN PUBLIC KEY` and `-----BEGIN CERT` in base64 once more.
    rb"|(?:data:[a-z0-9/.+\-]{1,60};base64,)?LS0tLS1CRUdJTiB(?:QVUJMSUMg|DRVJU)"
)
_DIGEST = compiled_for_values(
    rb"(?:[a-z0-9.\-/:]{0,80}@)?(?i:sha|md|blake|xxh|crc)[0-9]?[0-9a-z]{0,3}[\-:=](?:[0-9a-fA-F]{32,128}"
    rb"|[A-Za-z0-9+/]{27,88}={0,2})"
)
# Of a database, as tools make them up.
_CONSTRAINT = compiled_for_values(
    rb"(?:FK|UK|PK|UQ|CK|IX|IDX)_?[A-Z0-9]{6,40}|(?:FK|fk|uk|uq|ix|idx)_?[a-z0-9]{6,40}"
)
_STRONG_SYMBOL = compiled_for_values(rb"[!@#$%^&*?~]")
_CODE = compiled_for_values(rb"[(\[{\\|+/]")
_DIGIT = compiled_for_values(rb"[0-9]")
_LETTER = compiled_for_values(rb"[A-Za-z]")
_NUMBER = compiled_for_values(rb"[0-9]{3,}")
_ALGORITHM = compiled_for_values(
    rb"(?i)sha|md[45]|base|utf|iso|aes|rsa|cp12|ecdsa|ed255|http|ipv|win32|x86|ripemd"
    rb"|\.(?:com|conf|cfg|crt|css|gif|go|gz|html?|id|ini|io|java|jks|jpe?g|json|js|key|log|md|name"
    rb"|net|org|p12|pem|pfx|php|png|properties|py|rb|svg|text|toml|ts|txt|value|xml|ya?ml|zip)$"
)
_GROUPS = compiled_for_values(rb"[a-z]{4}([ \-])[a-z]{4}\1[a-z]{4}\1[a-z]{4}")
_RUNS = compiled_for_values(rb"[0-9]+|[A-Za-z]+")
_LOWER = compiled_for_values(rb"[a-z]")
_UPPER = compiled_for_values(rb"[A-Z]")
_PATTERN = compiled_for_values(
    rb"[a-z]-z|[A-Z]-Z|0-9|\\[dwsSWb][+*{\]]|\.[*+][?)$]?|\(\?[:=!<]|\{\d+,?\d*\}"
)
_ALPHANUMERIC = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_HARD_SYMBOL = b"{}()[]<>$#@!%&"
_LONGEST_PERIOD = 5
_COUNTED = bytes.maketrans(b"abcdef", b":;<=>?")
"""In hexadecimal, `a` comes after `9`."""
_SHORTEST_RUN = 9
# `Int32Max`, `Utf8Text`: words around a number, as in the name of a class.
_NUMBERED_NAME = compiled_for_values(
    rb"(?:[A-Z]?[a-z]{2,}|[A-Z]{2,4})+[0-9]{1,4}(?:[A-Z][a-z]{2,})+"
)


def is_digest(value: bytes) -> bool:
    """True if the value says that it is public: `sha256:…`, `AAAAB3NzaC1yc2E…`."""
    return _DIGEST.fullmatch(value) is not None or _PUBLIC_KEY.match(value) is not None


def is_constraint(value: bytes) -> bool:
    """True if it is the name of a key or an index of a table."""
    return _CONSTRAINT.fullmatch(value) is not None


@lru_cache(maxsize=4_096)
def is_placeholder(value: bytes) -> bool:
    """True if it only represents a secret, or is too simple to be one."""
    value = value[:200]
    if is_digest(value):
        return True
    if len(value) < 4 or entropy(value) < 1_900:
        return True
    if is_example(value):
        return True
    return not value.isalnum() and _template_share(value) * 2 > len(value)


def is_example(value: bytes) -> bool:
    """True if it contains a word for examples: `example`, `changeme`, `xxxx`."""
    return _PLACEHOLDER.search(value[:200]) is not None


def is_pattern(value: bytes) -> bool:
    """True if it is a regular expression: two marks that random text does not combine."""
    return not value.isalnum() and len(_PATTERN.findall(value[:200])) >= 2


def has_template(value: bytes) -> bool:
    return not value.isalnum() and _TEMPLATE.search(value[:400]) is not None


@lru_cache(maxsize=4_096)
def is_sequence(value: bytes) -> bool:
    """True if it follows the digits or the alphabet, or repeats characters, as examples do."""
    value = value[:200].lower()
    if (value * 2).find(value, 1) <= min(_LONGEST_PERIOD, len(value) // 3):
        return True
    if len(value) >= 16 and _runs(value[::2]) and _runs(value[1::2]):
        # `a0b1c2d3e4f5`: two sequences in turns.
        return True
    return _runs(value) or (len(value) >= 16 and _runs(value.translate(_COUNTED)))


def _runs(value: bytes) -> bool:
    if len(value) < _SHORTEST_RUN:
        return False
    longest = run = 0
    before = -2
    for byte in value:
        if -1 <= byte - before <= 1:
            run += 1
            if run > longest:
                longest = run
        else:
            run = 0
        before = byte
    return longest >= _SHORTEST_RUN - 1 and (longest + 1) * 5 >= len(value) * 2


def is_password(value: bytes) -> bool:
    """True if a quoted value after `password` was made to be hard to guess."""
    if _GROUPS.fullmatch(value) is not None and cost(value.translate(None, b" -")) >= 4_400:
        # As services generate them for programs without a second factor.
        return True
    if len(value) < 8 or b" " in value or b"\t" in value:
        return False
    if is_sequence(value):
        return False
    if is_random(value, 10) or is_thicket(value) or is_patchwork(value):
        return True
    if _LETTER.search(value) is None:
        return False
    if _DIGIT.search(value) is None:
        if _CODE.search(value) is None and len(set(_STRONG_SYMBOL.findall(value))) >= 4:
            return True
        mixed = _LOWER.search(value) is not None and _UPPER.search(value[1:]) is not None
        bar = 4_700 if _STRONG_SYMBOL.search(value) is None else 4_300
        return mixed and len(value) >= 10 and cost(value) >= bar
    if _STRONG_SYMBOL.search(value) is not None:
        return True
    mixed = _LOWER.search(value) is not None and _UPPER.search(value) is not None
    if _NUMBERED_NAME.fullmatch(value) is not None:
        return False
    return mixed and _highest_cost(value) >= 4_100


def is_long_secret(value: bytes) -> bool:
    """True for a long value of letters, digits and many symbols, as frameworks generate them."""
    return (
        len(value) >= 20
        and b" " not in value
        and b"\t" not in value
        and _DIGIT.search(value) is not None
        and _LETTER.search(value) is not None
        and sum(1 for symbol in b"!@#$%^&*()+=?~<>{}[];" if symbol in value) >= 4
        and entropy(value) >= 3_900
    )


def is_weak_password(value: bytes) -> bool:
    """True for a made-up password: letters and digits, and not only words that represent a
    password.
    """
    return (
        6 <= len(value) <= 40
        and not any(byte in b" \t/\\:()[]{}<>,;=" for byte in value)
        and (b"." not in value or (value.count(b".") == 1 and is_numbered(value)))
        and _LETTER.search(value) is not None
        and _DIGIT.search(value) is not None
    )


def is_numbered(value: bytes) -> bool:
    """True for letters and a number that is too long for a version or an index, unless it names an
    algorithm.
    """
    return (
        _NUMBER.search(value) is not None
        and _LETTER.search(value) is not None
        and _ALGORITHM.search(value) is None
    )


def is_patchwork(value: bytes) -> bool:
    """True if letters and digits alternate more often than in any name."""
    return len(value) >= 10 and value.isalnum() and len(_RUNS.findall(value[:100])) >= 5


@lru_cache(maxsize=4_096)
def is_ordinary(value: bytes) -> bool:
    """True if it is composed of words for a credential."""
    return _ORDINARY_WORDS.search(value[:100]) is not None


def is_thicket(value: bytes) -> bool:
    """True for letters between many different symbols; quantifiers exclude patterns."""
    if value.isalnum():
        return False
    symbols = value.translate(None, _ALPHANUMERIC)
    if len(symbols) < 6 or any(byte in b"\\+;|\"'` " for byte in symbols):
        return False
    if sum(1 for symbol in _HARD_SYMBOL if symbol in value) >= 8:
        return b"*" not in value
    if any(byte in b"{}()[]<>/^=" for byte in value):
        return False
    return sum(1 for symbol in b"!@#$%&*?,.:-_~" if symbol in value) >= 6


def _highest_cost(value: bytes) -> int:
    """Return the highest cost of the value and of its parts that are long enough."""
    parts = value.replace(b"-", b"_").replace(b".", b"_").split(b"_")
    return max([cost(value), *(cost(part) for part in parts if 5 <= len(part) < len(value))])


def _template_share(value: bytes) -> int:
    return sum(found.end() - found.start() for found in _TEMPLATE.finditer(value))
