"""The token budget: how many tokens a text costs, what a model accepts, and the decision.

Invariants:

* Pure: no clock, no disk, no network. The same text has the same count under the same estimator
  name. The name contains a version: a changed coefficient is a new version.
* Integers only. Any bytes have a count, valid UTF-8 or not; the empty text costs nothing.
* Counts of pieces can be added. If every piece except the last ends in `\\n`, their sum is exactly
  the count of the joined text (`Estimator.is_additive` says for which estimators).
"""

from sightline.budget.estimators import Counts, Estimator, estimator, estimator_names
from sightline.budget.models import (
    GENERIC,
    MODELS,
    Decision,
    ModelProfile,
    TokenLimits,
    decide,
    profile_for,
    token_limits,
)

__all__ = [
    "GENERIC",
    "MODELS",
    "Counts",
    "Decision",
    "Estimator",
    "ModelProfile",
    "TokenLimits",
    "decide",
    "estimator",
    "estimator_names",
    "profile_for",
    "token_limits",
]
