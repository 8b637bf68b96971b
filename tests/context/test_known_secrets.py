"""What one document shows to be a certain secret is one everywhere in the answer.

Every value here is made up, and no file but the one that assigns it tells that it is a secret.
"""

from __future__ import annotations

import itertools

import pytest

from sightline.context import (
    BuildRequest,
    Constraint,
    Intent,
    LastError,
    PlanStep,
    TargetSpec,
)
from sightline.refusals import RefusalKind
from tests.context.bench import block_of, block_of_type, everything, excluded, redactions
from tests.context.conftest import MakeBench
from tests.egress.values import mixed

_VALUE = mixed(20, 15)
_TELLS = f'password = "{_VALUE}"\n\n\ndef connect():\n    return 1\n'
_SAYS = f"import tells\n\n\ndef use():\n    # {_VALUE}, they said\n    return tells.connect()\n"
_ASKS = "import says\nimport tells\n\n\ndef run():\n    return says.use(), tells.connect()\n"


def _pieces(value: str, text: str) -> list[str]:
    pieces = [value[start : start + 8] for start in range(len(value) - 7)]
    return [piece for piece in pieces if piece in text]


@pytest.mark.parametrize("names", tuple(itertools.permutations(["a", "b", "c"])))
def test_a_value_is_a_secret_in_every_document(bench: MakeBench, names: tuple[str, ...]) -> None:
    """Whatever the files are called, and so in whatever order they are read."""
    tells, says, asks = names
    files = {
        f"{tells}.py": _TELLS,
        f"{says}.py": _SAYS.replace("tells", tells),
        f"{asks}.py": _ASKS.replace("says", says).replace("tells", tells),
    }
    built = bench(files).build(f"{asks}.py")
    assert _pieces(_VALUE, everything(built)) == []
    assert "[REDACTED:" in block_of(built, f"{says}.py").content
    replaced = {each.target for each in redactions(built, "pattern_redacted")}
    assert replaced == {f"{tells}.py", f"{says}.py"}


def test_a_thousand_values_are_all_known(bench: MakeBench) -> None:
    """There is no limit on how many."""
    values = [mixed(36, seed) for seed in range(1_000)]
    tells = "".join(f'token_{number} = "ghp_{value}"\n' for number, value in enumerate(values))
    says = "import tells\n\n\ndef use():\n    return 1\n\n\n" + "".join(
        f"# it was ghp_{value}\n" for value in values
    )
    made = bench({"tells.py": tells, "says.py": says, "asks.py": "import says\nimport tells\n"})
    text = everything(made.build("asks.py"))
    assert [value for value in values if value[:18] in text or value[18:] in text] == []


def test_a_target_that_says_a_secret_of_another_document_is_refused(bench: MakeBench) -> None:
    """In the line that says it; and where it is not in the region that is asked for, it is not."""
    made = bench({"tells.py": _TELLS, "says.py": _SAYS + "\n\ndef free():\n    return tells\n"})
    refusal = made.refuse(RefusalKind.SECRET_RISK, "says.py::use").refusal
    assert (refusal.path, refusal.lines) == ("says.py", (5,))
    assert _pieces(_VALUE, everything(made.build("says.py::free"))) == []


@pytest.mark.parametrize(
    "words",
    [
        {"intent": Intent(f"Use {_VALUE} here.")},
        {"plan_step": PlanStep(description=f"Put in {_VALUE}.")},
        {"plan_step": PlanStep(title=f"{_VALUE}")},
        {"constraints": (Constraint(f"do not print {_VALUE}"),)},
        {"last_error": LastError(f"access denied for {_VALUE}")},
    ],
)
def test_the_words_of_a_request_hold_no_secret_of_a_document(
    bench: MakeBench, words: dict[str, object]
) -> None:
    """A target that is refused as well repeats none of them."""
    made = bench({"tells.py": _TELLS, "asks.py": "import tells\n"})
    for target in ("asks.py", "tells.py"):
        refused = made.refuse(RefusalKind.SECRET_RISK, target, **words)
        assert refused.refusal.reason == "secret_in_request"
        assert refused.request is None


def test_a_path_that_is_a_secret_of_a_document_is_not_named(bench: MakeBench) -> None:
    """Neither as a candidate nor as a folder of the project."""
    made = bench(
        {
            "tells.py": _TELLS,
            "asks.py": f"import tells\nfrom {_VALUE}.inner import other\n\nother()\n",
            f"{_VALUE}/inner.py": "def other():\n    return 1\n",
        }
    )
    asks = made.refuse(RefusalKind.SECRET_RISK, "asks.py")
    assert asks.refusal.path == "asks.py"
    built = made.build("asks.py", settings={"secrets.on_target_secret": "redact"})
    assert _pieces(_VALUE, everything(built)) == []
    assert excluded(built)["[REDACTED:path]"].reason == "secret_risk"
    assert "[REDACTED:" in block_of_type(built, "project_meta").content


def test_a_target_that_is_named_by_a_secret_is_in_no_manifest(bench: MakeBench) -> None:
    """Its symbol, though the file's secrets are replaced."""
    source = f'password = "{_VALUE}"\n\n\ndef {_VALUE}():\n    return 1\n'
    made = bench({"own.py": source})
    redact = {"secrets.on_target_secret": "redact"}
    refused = made.refuse(RefusalKind.SECRET_RISK, "own.py:5", settings=redact)
    assert _pieces(_VALUE, everything(refused)) == []


def test_a_short_word_or_a_weak_value_is_not_looked_for(bench: MakeBench) -> None:
    """It would be found everywhere."""
    made = bench(
        {
            "tells.py": "password = 'sunshine'\n\n\ndef connect():\n    return 1\n",
            "asks.py": "import tells\n\n\ndef sunshine():\n    return tells.connect()\n",
        }
    )
    assert "def sunshine" in block_of(made.build("asks.py"), "asks.py").content


def test_what_is_known_is_forgotten_with_the_answer(bench: MakeBench) -> None:
    """A document that was clean by itself is clean again where nothing tells otherwise."""
    made = bench(
        {"tells.py": _TELLS, "says.py": f"# {_VALUE}\n", "asks.py": "import tells\nimport says\n"}
    )
    cache = made.build_cache()
    request = (TargetSpec(path="says.py"),)
    both = made.build("asks.py", build_cache=cache)
    alone = made.build("says.py", build_cache=cache)
    assert BuildRequest(targets=request) == alone.request
    assert "[REDACTED:" in block_of(both, "says.py").content
    assert block_of(alone, "says.py").content == f"# {_VALUE}\n"
