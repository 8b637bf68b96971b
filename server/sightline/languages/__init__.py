"""The languages Sightline can cut: one folder each, with `language.toml` and `tags.scm`.

Adding a language is adding a folder. Nothing here knows any language by name, and no grammar
or query is loaded before a file of that language is.
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
