"""The workspace: the only package that reads the disk, and the rules about what it may show.

`watching` is imported only by code that watches, because its library is slow to load.
"""

from sightline.workspace.defaults import is_default_rule, is_lift, liftable_rule, rule_named
from sightline.workspace.entries import Stamp
from sightline.workspace.roots import Root, find_root
from sightline.workspace.survey import Survey, SurveyDifference
from sightline.workspace.survey_codec import SurveyError, decode_survey, encode_survey
from sightline.workspace.workspace import (
    DiskDocument,
    RawDocument,
    ReadLimits,
    RootError,
    Workspace,
)

__all__ = [
    "DiskDocument",
    "RawDocument",
    "ReadLimits",
    "Root",
    "RootError",
    "Stamp",
    "Survey",
    "SurveyDifference",
    "SurveyError",
    "Workspace",
    "decode_survey",
    "encode_survey",
    "find_root",
    "is_default_rule",
    "is_lift",
    "liftable_rule",
    "rule_named",
]
