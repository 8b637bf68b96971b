"""What a person is told of secrets and can do from the editor: build, allow a path, mark a value.

What the last two do is in `mark_requests`. Nothing about a value leaves the server, no hash either.
"""

from __future__ import annotations

from lsprotocol import types

from sightline.engine.diagnostics import SecretDiagnostic, secret_diagnostics
from sightline.engine.settings import user_settings_file
from sightline.lsp.session import DocumentLocation, Session
from sightline.refusals import Refusal
from sightline.text import PositionEncoding, Text

_SOURCE = "sightline"


async def diagnostics(uri: str, session: Session) -> types.PublishDiagnosticsParams | None:
    """What looks like a secret in an open document; None where nothing is to be said."""
    document = session.documents.get(uri)
    place = session.place(uri)
    if document is None or isinstance(place, Refusal):
        return None
    if not document.is_in_step:
        # What was found stands elsewhere by now, or nowhere.
        return types.PublishDiagnosticsParams(uri, [])
    folder = place.folder
    found = await folder.run_in_turn(
        lambda: secret_diagnostics(folder.host, document.text, place.path)
    )
    now = session.documents.get(uri)
    if now is None or not now.is_in_step:
        # It was closed or lost meanwhile, and nothing is to be seen in it any more.
        return None
    listed = [_diagnostic(document.text, each, session.encoding) for each in found]
    return types.PublishDiagnosticsParams(uri, listed, document.version)


async def offered(
    place: DocumentLocation, uri: str, params: types.CodeActionParams
) -> list[types.CodeAction]:
    """Build for the symbol here; allow a denied path; mark a finding as harmless."""
    start = params.range.start
    actions = [
        types.CodeAction(
            "Build AI context for this symbol",
            kind=types.CodeActionKind("source"),
            command=types.Command(
                "Build AI context",
                "sightline.buildContext",
                arguments=[
                    {
                        "textDocument": {"uri": uri},
                        "position": {"line": start.line, "character": start.character},
                    }
                ],
            ),
        )
    ]
    refusal = await place.folder.run_for_request(lambda: place.folder.host.judge(place.path))
    source = (refusal.source if refusal else None) or ""
    # What belongs to version control yields to nobody.
    if refusal and source.startswith("default:") and source != "default:version_control":
        actions.append(
            types.CodeAction(
                f"Allow this file in this workspace… ({refusal.rule})",
                kind=types.CodeActionKind.QuickFix,
                command=types.Command(
                    "Allow this file",
                    "sightline.allowPath",
                    arguments=[{"textDocument": {"uri": uri}}],
                ),
            )
        )
    for diagnostic in params.context.diagnostics:
        if diagnostic.source == _SOURCE and isinstance(diagnostic.code, str):
            start = diagnostic.range.start
            actions.append(
                types.CodeAction(
                    "Mark this value as harmless in this workspace…",
                    kind=types.CodeActionKind.QuickFix,
                    diagnostics=[diagnostic],
                    command=types.Command(
                        "Mark as harmless",
                        "sightline.markHarmless",
                        arguments=[
                            {
                                "textDocument": {"uri": uri},
                                "position": {"line": start.line, "character": start.character},
                                "detector": diagnostic.code,
                            }
                        ],
                    ),
                )
            )
    return actions


def user_settings() -> str | Refusal:
    """Where the user's own settings are, for an editor to open."""
    return user_settings_file()


def _diagnostic(
    text: Text, finding: SecretDiagnostic, encoding: PositionEncoding
) -> types.Diagnostic:
    start = text.position_at(finding.span.start, encoding)
    end = text.position_at(finding.span.end, encoding)
    doubt = " (uncertain)" if finding.is_uncertain else ""
    message = f"This looks like a secret: {finding.detector}{doubt}. It is never sent."
    severity = types.DiagnosticSeverity.Warning
    if finding.is_weak:
        message = f"This may be a secret: {finding.detector}. It is replaced where it is sent."
        severity = types.DiagnosticSeverity.Hint
    return types.Diagnostic(
        types.Range(types.Position(start.line, start.column), types.Position(end.line, end.column)),
        message,
        severity=severity,
        code=finding.detector,
        source=_SOURCE,
    )
