"""The repositories for `context.py`, each at a fixed commit.

Two of each language, each with 100 to 4,000 files: the one whose name sorts first, without case, is
for tuning, the other one for reporting. Weights and thresholds of the ranker may be tuned only on
the tuning half; of the reporting half only the final figures are looked at.
"""

from __future__ import annotations

from pathlib import Path

import attrs


@attrs.frozen
class Listed:
    language: str
    """The main language; a commit counts for the language of its target."""
    half: str
    head: str
    """The newest commit that is used."""


CORPORA = {
    "encode/httpx": Listed("Python", "tuning", "ae1b9f66238f75ced3ced5e4485408435de10768"),
    "Textualize/rich": Listed("Python", "reporting", "42899d8a0a96b121a514516f4be9db44ff7aeaf3"),
    "honojs/hono": Listed("TypeScript", "tuning", "28a9c128912de19f3fb28b00ae289c9b93f6f392"),
    "typeorm/typeorm": Listed(
        "TypeScript", "reporting", "281bfba42a5813b106bcf5ba79bc7f7251bd1e73"
    ),
    "fastify/fastify": Listed("JavaScript", "tuning", "83e69762aff047940b376fc2a266d143499ef727"),
    "mochajs/mocha": Listed("JavaScript", "reporting", "e6b9ee773481fd739ae24caeb42f32ac0b010f95"),
    "caddyserver/caddy": Listed("Go", "tuning", "0cf03d32f7d99cf160d5375e8a40fbe3d910d515"),
    "gofiber/fiber": Listed("Go", "reporting", "c344047e102861ac2b7f0259ea3dd3af4b03ad63"),
    "tokio-rs/axum": Listed("Rust", "tuning", "3d78036dcac289d6c1d54934708acb6a5bd73686"),
    "BurntSushi/ripgrep": Listed("Rust", "reporting", "3fce3b5bb0236da2df6d99672afb8a719642eca7"),
    "jhy/jsoup": Listed("Java", "tuning", "46b620860af930eedc193a705eaf7cea5aec89a6"),
    "mockito/mockito": Listed("Java", "reporting", "ee8a330da0218f32d5964acdeaa3ac39e2c6ce14"),
    "libuv/libuv": Listed("C", "tuning", "6179e7af87413396d5853a1c3722c8b5749336c8"),
    "tmux/tmux": Listed("C", "reporting", "c1f947a3c5bc72a40c32dead736f84c4628791ec"),
    "catchorg/Catch2": Listed("C++", "tuning", "a6ee7e20cd4011129816df7992c1a9db2ef4b58f"),
    "google/leveldb": Listed("C++", "reporting", "78a352f47ed6c1e9d750545e9b242289185b87e1"),
    "FluentValidation/FluentValidation": Listed(
        "C#", "tuning", "ea299fe59719950018fa240dab86da414190d7f4"
    ),
    "serilog/serilog": Listed("C#", "reporting", "60935b4d7abad71cf6157b45a10f5c3c65ead527"),
    "Shopify/liquid": Listed("Ruby", "tuning", "7a5e45fc4784e6e2e3092f2eb6f613644f1e2e5a"),
    "puma/puma": Listed("Ruby", "reporting", "ff2e2126ee2f0f97e21c57ce1967afde1b6f05a1"),
    "composer/composer": Listed("PHP", "tuning", "eba7baa59eb1b59246cf9800b0120fe78915b6ac"),
    "nikic/PHP-Parser": Listed("PHP", "reporting", "fbd47f7ebcbb450138d92642a0a53b72a5285dda"),
    "detekt/detekt": Listed("Kotlin", "tuning", "dbfb8423263b79c3d035a21d110b10bf4ba02cfe"),
    "square/moshi": Listed("Kotlin", "reporting", "889013ec2edb8d8034902662a1dc8c4f3b3f8111"),
}
"""By name."""


def name_of(repository: Path) -> str:
    """Return the name of a local repository: `OWNER/NAME` for `…/OWNER+NAME/repo` or `…/NAME`."""
    parts = [part for part in repository.resolve().parts if part not in ("repo", ".git")]
    name = parts[-1].removesuffix(".git").replace("+", "/")
    listed = [each for each in CORPORA if name in (each, each.rpartition("/")[2])]
    return listed[0] if listed else name
