"""Find lines with the form of a secret, including examples from documentation.

This reports more than a build replaces: values that are certainly not secret, such as the example
key in a vendor's manual, have the form as well. `egress` decides what a build replaces.
"""

from __future__ import annotations

import re

_QUOTED = r"[\"'][^\"'\s]{8,400}[\"']"
_BARE = r"(?=[^\s]{0,400}[0-9])[^\s\"'(){}\[\]<>$,;.]{8,400}(?=[\s;,]|$)"
_NAMED = r"[\"']?[ \t]{0,9}(?::=|=>|[:=])[ \t]{0,9}"

_FORMS = tuple(
    (kind, re.compile(form.encode()))
    for kind, form in (
        (
            "api_key",
            rf"(?i)api[_-]?key\w{{0,40}}{_NAMED}(?:[\"']?[\w-]{{20,}}|{_QUOTED})|\bsk-[\w-]{{20,}}",
        ),
        (
            "bearer_token",
            rf"(?i)\bbearer{_NAMED}[\"']?[\w.~+/=-]{{3,}}"
            rf"|\bauthorization{_NAMED}[\"']?(?:bearer|basic|token)[ \t]+[\w.~+/=-]{{6,}}"
            rf"|\bauthorization{_NAMED}[\"']?(?=[\w.~+/=-]*[0-9])[\w.~+/=-]{{8,}}",
        ),
        ("aws_key", r"\b(?:AKIA|ABIA|ACCA|ASIA)[0-9A-Z]{16}\b"),
        (
            "secret_password",
            rf"(?i)(?:secret|passw(?:or)?d|pwd)\w{{0,40}}{_NAMED}(?:{_QUOTED}|{_BARE})",
        ),
        ("private_key", r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----"),
        ("github_token", r"\b(?:gh[opsru]_[0-9A-Za-z]{30,}|github_pat_\w{20,})"),
        ("gitlab_token", r"\bglpat-[\w-]{16,}"),
        ("slack_token", r"\bxox[a-z]-[\w-]{10,}"),
        ("stripe_key", r"\b[rs]k_(?:live|test)_[0-9A-Za-z]{16,}"),
        ("google_api_key", r"\bAIza[\w-]{35}"),
        ("json_web_token", r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}"),
        ("connection_string", r"\b[a-z][a-z0-9+]{1,20}://[^\s:/@'\"]{1,80}:[^\s:/@'\"]{3,80}@"),
        ("token", rf"(?i)token\w{{0,40}}{_NAMED}{_QUOTED}"),
    )
)
"""By kind, the most likely first; a line has the first kind that matches."""
_LONGEST_LINE = 20_000


def secret_lines(content: bytes) -> dict[int, str]:
    """Return the kind of secret whose form each line has, by line from 1."""
    found: dict[int, str] = {}
    if not any(form.search(content) for _, form in _FORMS):
        return found
    for number, line in enumerate(content.split(b"\n"), 1):
        for kind, form in _FORMS:
            if form.search(line, 0, _LONGEST_LINE):
                found[number] = kind
                break
    return found
