"""`sightline verify` and `sightline diff`: compare recorded builds."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import attrs

from sightline.bundle import Difference
from sightline.cli.delivery import read_file
from sightline.cli.opening import open_indexed
from sightline.cli.output import DONE, REFUSED, Output
from sightline.engine.diff import diff
from sightline.engine.host import Host
from sightline.engine.results import VerifyResult
from sightline.engine.verify import read_record, verify
from sightline.refusals import Refusal

_ADVICE = "give the file that 'sightline build --format json' wrote"


def run_verify(options: argparse.Namespace, output: Output) -> int:
    data = _recorded(options.bundle)
    if isinstance(data, Refusal):
        return output.refuse(data)
    name = Path(options.bundle).name
    with open_indexed(options, None, output) as host:
        if isinstance(host, Refusal):
            return output.refuse(host)
        result = verify(host, data)
        if result.refusal is not None:
            about = attrs.evolve(result.refusal, path=options.bundle)
            return output.refuse(about, result)
        if output.json:
            output.result(result)
        else:
            _show(output, result.differences, f"{name}: verified")
        if result.differences:
            _say_why(output, host, options.bundle, result)
    return REFUSED if result.differences else DONE


def run_diff(options: argparse.Namespace, output: Output) -> int:
    records = []
    for name in (options.first, options.second):
        data = _recorded(name)
        if isinstance(data, Refusal):
            return output.refuse(data)
        records.append(data)
    result = diff(*records)
    if output.json:
        output.result(result)
    else:
        _show(output, result.differences, "the two builds have the same inputs")
    return DONE


def _recorded(path: str) -> bytes | Refusal:
    """Read a record that can be compared."""
    data = read_file(path, _ADVICE)
    if isinstance(data, Refusal):
        return data
    record = read_record(data)
    return attrs.evolve(record, path=path) if isinstance(record, Refusal) else data


def _say_why(output: Output, host: Host, bundle: str, result: VerifyResult) -> None:
    name = Path(bundle).name
    output.reason(f"{name} does not match a fresh build")
    if result.build_refusal is not None:
        output.reason(f"a fresh build is refused: {result.build_refusal.message}")
    if host.shows(bundle):
        output.reason(
            f"{name} is in the workspace that it describes; keep bundles outside the workspace, "
            "or name them in .sightlineignore"
        )


def _show(output: Output, found: Sequence[Difference], none: str) -> None:
    if not found:
        output.line((none, "green"))
    for each in found:
        output.line((f"{each.what}  ", "bold"), (each.where, ""), (f"  {each.detail}", "dim"))
