"""INV-CONTEXT-4: a secret is removed where that is sure, and otherwise nothing is sent.

Every value here is made up, and put together from parts so that no scanner of repositories takes
it for a real one.
"""

from __future__ import annotations

import logging

import pytest

from sightline.context import Built, Constraint, Intent, LastError, PlanStep, Refused, TargetSpec
from sightline.egress import (
    Certainty,
    FailureReason,
    Finding,
    HarmlessValues,
    ScanFailure,
    guarded_scan,
)
from sightline.refusals import RefusalKind
from sightline.text import Span
from tests.context import workspaces as w
from tests.context.bench import (
    block_of,
    block_of_type,
    blocks_of,
    everything,
    excluded,
    included,
    redactions,
)
from tests.context.conftest import MakeBench

_WORD = "kT9vQ2xL7mZ4wR8pB5nD3sF6" + "hJ1gY0cE2aU9iO7tX4zM"
_KEY_LINES = "\n".join((_WORD + "+/" + _WORD[::-1])[:64] for _ in range(12))


def _private_key(kind: str) -> str:
    return f"-----BEGIN {kind}-----\n{_KEY_LINES}\n-----END {kind}-----"


_PATTERNS = {
    "private key": f'KEY = """\n{_private_key("PRIVATE KEY")}\n"""\n',
    "rsa private key": f'KEY = """\n{_private_key("RSA PRIVATE KEY")}\n"""\n',
    "sk- key": f'client = Client("sk-{_WORD}")\n',
    "bearer": f'headers = {{"Authorization": "Bearer {_WORD}"}}\n',
    "bearer header": f"# curl -H 'Authorization: Bearer {_WORD}'\n",
    "password": f'password = "{_WORD[:14]}"\n',
    "api_key": f'api_key="{_WORD[:32]}"\n',
    "token": f'token = "{_WORD[:40]}"\n',
}
"""The contract's examples of what must not be sent, each as a line of Python."""


def _leaks(text: str) -> list[str]:
    """Pieces of a made-up value that a text holds."""
    pieces = {_WORD[start : start + 8] for start in range(len(_WORD) - 7)}
    pieces |= {piece[::-1] for piece in pieces}
    return sorted(piece for piece in pieces if piece in text)


@pytest.mark.parametrize("pattern", _PATTERNS)
def test_a_secret_in_a_candidate_is_redacted_or_excludes_it(bench: MakeBench, pattern: str) -> None:
    """Either the span is replaced and reported, or the file is out; no piece of it leaves."""
    content = str(w.ORDERS[w.MODEL]) + "\n\n" + _PATTERNS[pattern]
    built = bench({**w.ORDERS, w.MODEL: content}).build(w.TOTAL)
    assert _leaks(everything(built)) == []
    if blocks_of(built, w.MODEL):
        assert "[REDACTED:" in block_of(built, w.MODEL).content
        assert "def describe" in block_of(built, w.MODEL).content
        (redaction,) = redactions(built, "pattern_redacted")
        assert (redaction.target, redaction.reason.value) == (w.MODEL, "secret")
        assert "on line 1" in redaction.details
    else:
        assert excluded(built)[w.MODEL].reason == "secret_risk"
        assert [each.target for each in redactions(built, "path_excluded")] == [w.MODEL]


@pytest.mark.parametrize("pattern", _PATTERNS)
def test_a_secret_in_the_target_is_refused(bench: MakeBench, pattern: str) -> None:
    """With the line and the detector, never the value, and with what to do about it."""
    content = str(w.ORDERS[w.PRICING]) + "\n\n" + _PATTERNS[pattern]
    made = bench({**w.ORDERS, w.PRICING: content})
    refused = made.refuse(RefusalKind.SECRET_RISK, w.PRICING)
    refusal = refused.refusal
    line = content[: content.index(_PATTERNS[pattern])].count("\n") + 1
    assert (refusal.reason, refusal.path) == ("secret_in_target", w.PRICING)
    assert f"line {line}" in refusal.message or f"line {line + 1}" in refusal.message
    assert refusal.rule
    assert refusal.rule in refusal.message
    assert "move the secret out of the project" in refusal.advice
    assert "deny rule" in refusal.advice
    assert _leaks(everything(refused)) == []


@pytest.mark.parametrize("pattern", _PATTERNS)
def test_a_secret_outside_the_region_that_is_asked_for_refuses_nothing(
    bench: MakeBench, pattern: str
) -> None:
    """The region comes, and beside it the signatures of the file with the secret replaced."""
    content = str(w.ORDERS[w.PRICING]) + "\n\n" + _PATTERNS[pattern]
    made = bench({**w.ORDERS, w.PRICING: content})
    built = made.build(w.TOTAL)
    assert _leaks(everything(built)) == []
    levels = [block.meta.level for block in blocks_of(built, w.PRICING)]
    assert levels in (["TARGET_REGION_ONLY", "SIGNATURES_ONLY"], ["TARGET_REGION_ONLY"])
    sliced = [each for each in redactions(built, "content_sliced") if each.target == w.PRICING]
    assert {each.reason.value for each in sliced} == {"secret"}
    made.refuse(RefusalKind.SECRET_RISK, w.TOTAL, settings={"context.target_level": "full"})


def test_a_secret_in_a_signature_beside_the_region_is_replaced(bench: MakeBench) -> None:
    """It stands outside what is asked for, and in what is shown with it."""
    source = f'def other(password="{_WORD[:14]}"):\n    return 1\n\n\ndef asked():\n    return 2\n'
    built = bench({"one.py": source}).build("one.py::asked")
    region, signatures = blocks_of(built, "one.py")
    assert "return 2" in region.content
    assert 'def other(password="[REDACTED:' in signatures.content
    assert _leaks(everything(built)) == []


def test_a_secret_in_the_region_that_is_asked_for_is_refused(bench: MakeBench) -> None:
    """The refusal names line and detector, and what can be done in one step."""
    source = f'def other():\n    return 1\n\n\ndef asked():\n    password = "{_WORD[:14]}"\n'
    made = bench({"one.py": source})
    refusal = made.refuse(RefusalKind.SECRET_RISK, "one.py::asked").refusal
    assert refusal.lines == (6,)
    assert f"line 6: {refusal.rule}" in refusal.message
    redact, mark = refusal.actions
    assert (redact.kind, redact.line) == ("redact_once", None)
    assert (mark.kind, mark.line, mark.detector) == ("mark_harmless", 6, refusal.rule)
    built = made.build("one.py::asked", settings={"secrets.on_target_secret": "redact"})
    assert _leaks(everything(built)) == []


def test_a_secret_without_an_end_is_kept_out_of_a_region_beside_it(bench: MakeBench) -> None:
    """Its lines are withheld; where they touch what is asked for, the target is refused."""
    cut = _private_key("RSA PRIVATE KEY").partition("-----END")[0]
    after = f'def asked():\n    return 2\n\n\nKEY = """{cut}"""\n'
    made = bench({"after.py": after, "inside.py": f'def asked():\n    return """{cut}"""\n'})
    built = made.build("after.py::asked")
    region = blocks_of(built, "after.py")[0]
    assert region.meta.level == "TARGET_REGION_ONLY"
    assert _leaks(everything(built)) == []
    refusal = made.refuse(RefusalKind.SECRET_RISK, "inside.py::asked").refusal
    # Nothing that has no end can be replaced.
    assert {each.kind for each in refusal.actions} == {"mark_harmless"}


def test_a_person_may_have_a_secret_in_the_target_redacted(bench: MakeBench) -> None:
    content = str(w.ORDERS[w.PRICING]) + "\n" + _PATTERNS["password"]
    made = bench({**w.ORDERS, w.PRICING: content})
    built = made.build(w.TOTAL, settings={"secrets.on_target_secret": "redact"})
    assert "[REDACTED:" in block_of(built, w.PRICING).content
    assert _leaks(everything(built)) == []


def test_a_secret_whose_end_is_not_sure_excludes_the_file(bench: MakeBench) -> None:
    """A key that was cut off: nobody can say where it ends."""
    cut = _private_key("RSA PRIVATE KEY").partition("-----END")[0]
    made = bench({**w.ORDERS, w.MODEL: str(w.ORDERS[w.MODEL]) + f'\nKEY = """{cut}\n'})
    built = made.build(w.TOTAL)
    candidate = excluded(built)[w.MODEL]
    assert (candidate.reason, candidate.rule_source) == ("secret_risk", "egress")
    assert _leaks(everything(built)) == []


def test_an_uncertain_secret_is_not_sent(bench: MakeBench) -> None:
    """What may be one is withheld from a candidate, and refused in a target."""
    value = b"hunter" + b"22"

    def scan(data: bytes, harmless: HarmlessValues) -> tuple[Finding, ...] | ScanFailure:
        place = data.find(value)
        if place < 0:
            return guarded_scan(data, harmless)
        span = Span(place, place + len(value))
        return (Finding(span, "some-rule", "password", Certainty.UNCERTAIN, True),)

    made = bench({**w.ORDERS, w.MODEL: f'{w.ORDERS[w.MODEL]!s}spare = "{value.decode()}"\n'})
    cache = made.build_cache(scan=scan)
    built = made.build(w.TOTAL, build_cache=cache)
    assert value.decode() not in everything(built)
    assert excluded(built)[w.MODEL].reason == "secret_risk"
    redact = {"secrets.on_target_secret": "redact"}
    made.refuse(RefusalKind.SECRET_RISK, w.MODEL, settings=redact, build_cache=cache)


def test_a_redaction_is_followed_through_every_cut(bench: MakeBench) -> None:
    """Signatures and regions of a file with a secret in a default value hold no piece of it."""
    content = (
        f'def connect(host, password="{_WORD[:20]}"):\n    return host, password\n\n\n'
        + "".join(f"def other_{number}():\n    return {number}\n\n\n" for number in range(30))
    )
    files = {
        "db.py": content,
        "main.py": "from db import connect\n\n\ndef run():\n    return connect('here')\n",
    }
    made = bench(files)
    ample = made.build("main.py::run").budget_report.estimated_input_tokens
    levels = set()
    for tokens in range(ample, 250, -40):
        built = made.build(
            "main.py::run",
            settings={"budget.max_input_tokens": tokens, "budget.response_token_reserve": 0},
        )
        assert _leaks(everything(built)) == []
        for block in blocks_of(built, "db.py"):
            assert "[REDACTED:" in block.content
            levels.add((block.block_type.value, block.meta.level))
    assert ("symbol", "SIGNATURES_ONLY") in levels


def test_invisible_characters_do_not_hide_a_secret(bench: MakeBench) -> None:
    hidden = _WORD[:7] + "\u200b" + _WORD[7:14]
    made = bench({**w.ORDERS, w.MODEL: str(w.ORDERS[w.MODEL]) + f'\npassword = "{hidden}"\n'})
    built = made.build(w.TOTAL)
    assert _WORD[7:14] not in everything(built)


def test_invisible_characters_go_out_visibly(bench: MakeBench) -> None:
    made = bench({"odd.py": "name = 'a\u202eb\u200bc'\n"})
    built = made.build("odd.py")
    content = block_of(built, "odd.py").content
    assert not {"\u202e", "\u200b"} & set(content + built.rendering.text)
    (redaction,) = redactions(built, "pattern_redacted")
    assert (redaction.target, redaction.reason.value) == ("odd.py", "policy")


# Whatever else would be sent.


@pytest.mark.parametrize(
    "part",
    [
        {"intent": Intent(f"Use the token = '{_WORD[:40]}'.")},
        {"plan_step": PlanStep(description=f"password = '{_WORD[:14]}'")},
        {"plan_step": PlanStep(title=f"api_key='{_WORD[:32]}'")},
        {"constraints": (Constraint("fine"), Constraint(f"password = '{_WORD[:14]}'"))},
        {"last_error": LastError(f"401 for Authorization: Bearer {_WORD}")},
        {"last_error": LastError("401", code=f"token='{_WORD[:40]}'")},
    ],
)
def test_a_secret_in_the_request_is_refused(bench: MakeBench, part: dict[str, object]) -> None:
    """The words of a request are sent as well."""
    refused = bench(w.ORDERS).refuse(RefusalKind.SECRET_RISK, w.TOTAL, **part)
    assert refused.refusal.reason == "secret_in_request"
    assert _leaks(everything(refused)) == []


def test_a_secret_in_the_lines_around_the_last_error(bench: MakeBench) -> None:
    """Replaced where its bounds are sure, else all the lines are withheld."""
    sure, unsure = _PATTERNS["password"], _private_key("PRIVATE KEY").partition("-----END")[0]
    made = bench({**w.ORDERS, "sure.py": sure, "unsure.py": f'KEY = """{unsure}\n'})
    shown = made.build(w.TOTAL, last_error=LastError("bad", "sure.py", 1))
    assert "[REDACTED:" in block_of_type(shown, "error_context").content
    withheld = made.build(w.TOTAL, last_error=LastError("bad", "unsure.py", 1))
    assert block_of_type(withheld, "error_context").content == "error: bad\nat unsure.py:1\n"
    (redaction,) = redactions(withheld, "block_removed")
    assert (redaction.target, redaction.reason.value) == ("unsure.py", "secret")
    assert _leaks(everything(shown) + everything(withheld)) == []


def test_a_secret_in_a_path_is_not_sent(bench: MakeBench) -> None:
    name = f"orders/token={_WORD[:40]}.py"
    made = bench({**w.ORDERS, name: w.ORDERS[w.CHECKOUT]})
    made.write({name: str(w.ORDERS[w.CHECKOUT]) + "\n\nmore = 1\n"})
    outcome = made.attempt(w.TOTAL)
    assert _leaks(everything(outcome)) == []


_NAME = "ghp_" + _WORD[:36]
"""A secret that is a name as well."""


def test_a_secret_that_is_a_symbols_name_is_in_no_report(bench: MakeBench) -> None:
    """Relations, targets and choices are told by name, beside the text that is sent."""
    redact = {"secrets.on_target_secret": "redact"}
    made = bench(
        {
            "ok.py": "import near\n\n\ndef clean():\n    return near.helper()\n",
            "near.py": "import ok\n\n\ndef helper():\n    return 1\n\n\n"
            f"def {_NAME}():\n    return ok.clean()\n",
        }
    )
    outcomes: list[Built | Refused] = [
        made.build("ok.py"),
        made.build("ok.py::clean"),
        made.refuse(RefusalKind.SECRET_RISK, "near.py:8", settings=redact),
    ]
    long = bench({"long.py": f"def {_NAME}():\n    return 1\n\n\n" + "value = 1\n" * 400})
    for tokens in range(200, 260, 5):
        settings = {**redact, "budget.max_input_tokens": 4_000 + tokens}
        outcomes.append(long.attempt("long.py", settings=settings))
    for outcome in outcomes:
        assert _leaks(everything(outcome)) == []


def test_a_secret_that_is_a_files_name_is_in_no_refusal(bench: MakeBench) -> None:
    """A symbol leads to a file that nobody named."""
    made = bench({f"{_NAME}.py": "def there():\n    return 1\n"})
    refused = made.refuse(RefusalKind.SECRET_RISK, TargetSpec(symbol="there"))
    assert refused.refusal.reason == "secret_in_name"
    assert _leaks(everything(refused)) == []


def test_a_secret_that_is_a_folders_name_costs_only_its_name(bench: MakeBench) -> None:
    made = bench({"a.py": "first = 1\n", f"{_NAME}/b.py": "second = 2\n"})
    built = made.build("a.py")
    assert "- [REDACTED:github-token]/ (1 files)" in block_of_type(built, "project_meta").content
    (redaction,) = redactions(built, "pattern_redacted")
    assert (redaction.target, redaction.details) == ("project_meta", "github-token in a name")
    assert _leaks(everything(built)) == []


# A scanner that cannot be trusted.


def _raising(data: bytes, harmless: HarmlessValues) -> tuple[Finding, ...] | ScanFailure:
    def broken(data: bytes, harmless: HarmlessValues) -> tuple[Finding, ...]:
        raise RuntimeError(f"{data!r} {harmless}")

    return guarded_scan(data, harmless, broken)


def test_a_scanner_that_fails_withholds(bench: MakeBench) -> None:
    """No proof that secrets are gone, no bundle; and the error's words are nobody's business."""
    made = bench(w.ORDERS)
    refused = made.refuse(
        RefusalKind.SECRET_RISK, w.TOTAL, build_cache=made.build_cache(scan=_raising)
    )
    assert refused.refusal.reason == FailureReason.RAISED.value
    assert "doubled" not in everything(refused)


def test_a_scanner_that_fails_on_a_candidate_excludes_it(bench: MakeBench) -> None:
    def scan(data: bytes, harmless: HarmlessValues) -> tuple[Finding, ...] | ScanFailure:
        if data.startswith(b"class Order:"):
            return _raising(data, harmless)
        return guarded_scan(data, harmless)

    made = bench(w.ORDERS)
    built = made.build(w.TOTAL, build_cache=made.build_cache(scan=scan))
    candidate = excluded(built)[w.MODEL]
    assert (candidate.reason, candidate.rule) == ("secret_risk", FailureReason.RAISED.value)
    assert "def describe" not in everything(built)


def test_the_finished_text_is_scanned_once_more(bench: MakeBench) -> None:
    """What no scan of a document found is found at the end: in a candidate it is dropped."""

    def scan(data: bytes, harmless: HarmlessValues) -> tuple[Finding, ...] | ScanFailure:
        place = data.find(b"spare = cents")
        if not data.startswith(b"class") and place >= 0:
            span = Span(place, place + 5)
            return (Finding(span, "late", "token", Certainty.CERTAIN, True),)
        return guarded_scan(data, harmless)

    made = bench(w.ORDERS)
    build_cache = made.build_cache(scan=scan)
    built = made.build(w.TOTAL, build_cache=build_cache)
    assert excluded(built)[w.RULES].rule == "final rescan"
    assert "spare" not in everything(built)
    assert w.MODEL in included(built)
    refused = made.refuse(RefusalKind.SECRET_RISK, w.RULES, build_cache=build_cache)
    assert refused.refusal.reason == "secret_in_final_text"


# Logs.


def test_nothing_of_a_file_is_logged(
    bench: MakeBench, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """Built, refused, redacted or broken: logs and standard streams hold no line of a file."""
    caplog.set_level(logging.DEBUG)
    made = bench(
        {
            **w.ORDERS,
            w.MODEL: str(w.ORDERS[w.MODEL]) + _PATTERNS["password"],
            ".env": "hidden words\n",
            "broken.py": "def doubled(((:\n",
        }
    )
    made.build(w.TOTAL)
    made.build("broken.py", user_selected_targets=(TargetSpec(path=".env"),))
    made.refuse(RefusalKind.SECRET_RISK, w.MODEL)
    made.refuse(RefusalKind.SECRET_RISK, w.TOTAL, build_cache=made.build_cache(scan=_raising))
    captured = capfd.readouterr()
    written = caplog.text + captured.out + captured.err
    assert _leaks(written) == []
    for words in ("doubled", "hidden words", "def describe"):
        assert words not in written
