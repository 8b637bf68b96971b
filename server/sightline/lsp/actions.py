"""Diagnostics and code actions: report secrets, and offer to build, allow a path or mark a value.

Allowing and marking are implemented in `mark_requests`. Nothing about a value leaves the server,
not even a hash.
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
    """Return the possible secrets of an open document as diagnostics; None if nothing may be
    sent.
    """
    document = session.documents.get(uri)
    place = session.place(uri)
    if document is None or isinstance(place, Refusal):
        return None
    if not document.is_in_step:
        # The positions that were found no longer match the client's text.
        return types.PublishDiagnosticsParams(uri, [])
    folder = place.folder
    found = await folder.run_in_turn(
        lambda: secret_diagnostics(folder.host, document.text, place.path)
    )
    now = session.documents.get(uri)
    if now is None or not now.is_in_step:
        # The document was closed or lost meanwhile, so its findings are cleared.
        return None
    listed = [_diagnostic(document.text, each, session.encoding) for each in found]
    return types.PublishDiagnosticsParams(uri, listed, document.version)


async def offered(
    place: DocumentLocation, uri: str, params: types.CodeActionParams
) -> list[types.CodeAction]:
    """Return code actions: build for the symbol here, allow a denied path, mark a finding as
    harmless.
    """
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
    # Rules for version control cannot be allowed by anyone.
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
    """Return the path of the user's settings file, for an editor to open."""
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
