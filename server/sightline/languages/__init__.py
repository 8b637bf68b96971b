"""The languages that Sightline can cut: one folder each, with `language.toml` and `tags.scm`.

To add a language, add a folder. No code here names a language, and a grammar or query is loaded
only for a file of its language.
"""

from sightline.languages.loading import load_language
from sightline.languages.model import (
    Language,
    LanguageError,
    ModuleRules,
    NamePath,
    SignatureRules,
)
from sightline.languages.registry import (
    LANGUAGE_PATH_VARIABLE,
    Registry,
    load_named,
    load_registry,
)

__all__ = [
    "LANGUAGE_PATH_VARIABLE",
    "Language",
    "LanguageError",
    "ModuleRules",
    "NamePath",
    "Registry",
    "SignatureRules",
    "load_language",
    "load_named",
    "load_registry",
]
