"""The version of the rules, for fingerprints: it changes when any rule does."""

from __future__ import annotations

import hashlib
from importlib.resources import files

_SOURCES = (
    "assignments.py",
    "call_arguments.py",
    "markup.py",
    "spoken.py",
    "commands.py",
    "generated.py",
    "headers.py",
    "judging.py",
    "known.py",
    "known_places.py",
    "literals.py",
    "told_values.py",
    "vendor_pieces.py",
    "named_secrets.py",
    "named_values.py",
    "settings_lines.py",
    "telling_names.py",
    "secret_patterns.py",
    "placed_values.py",
    "private_keys.py",
    "public_values.py",
    "randomness.py",
    "records.py",
    "scanning.py",
    "sql_columns.py",
    "structured.py",
    "tiers.py",
    "value_forms.py",
    "vendors.py",
    "vendors.toml",
    "disguises.py",
    "encoded_keys.py",
    "encodings.py",
    "escapes.py",
    "handed_values.py",
    "respelled.py",
    "joints.py",
    "key_structure.py",
    "kubernetes.py",
    "password_hashes.py",
    "pieces.py",
    "text_reading.py",
    "seed_words.txt",
    "tables.py",
    "wallets.py",
    "views.py",
    "weak.py",
)


def _version() -> str:
    """Over the sources: a rule is code as much as it is data.

    Line ends do not count, since some systems change them when they check a file out.
    """
    digest = hashlib.sha256()
    folder = files("sightline.egress")
    for name in _SOURCES:
        source = folder.joinpath(name).read_bytes().replace(b"\r\n", b"\n")
        digest.update(f"{name}:{len(source)}:".encode("ascii"))
        digest.update(source)
    return f"secrets-1:{digest.hexdigest()}"


RULES_VERSION = _version()
