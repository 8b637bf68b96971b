"""`sightline models`: list the models with known limits."""

from __future__ import annotations

import argparse

from sightline.cli.output import DONE, Output
from sightline.engine.model_list import models


def run(options: argparse.Namespace, output: Output) -> int:
    result = models(options.root)
    if result.refusal is not None:
        return output.refuse(result.refusal)
    if output.json:
        output.result(result)
        return DONE
    width = max(len(each.model) for each in result.models)
    for each in result.models:
        chosen = "*" if each.model == result.selected else " "
        own = ", from your settings" if each.is_own else ""
        output.line(
            (f"{chosen} ", "bold"),
            (each.model.ljust(width), "bold"),
            (f"  {each.max_input_tokens:>9} tokens  {each.provider}{own}", ""),
        )
    if result.note is not None:
        output.reason(result.note)
    return DONE
