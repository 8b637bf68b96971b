"""Finding: which files and symbols a task in words is about.

The task is an issue, an error, a sentence. The answer is two ranked lists, files and symbols. Each
entry has its clues: shared words, names and paths that the task mentions, frames of a traceback,
and calls from entries that rank high.

* `task_text`: reads a task: sections, words, names, paths.
* `traceback_frames`: reads the frames in it.
* `path_words`: what a path says: its words, and whether it is a test.
* `corpus`: files and symbols of a workspace with their counted terms, and BM25F over them.
* `clues`: the evidence for a file or symbol other than its words.
* `ranking`: makes both lists.

Invariants:

* The result is a proposal: nothing is excluded because it is not found here.
* Whole numbers and total orders: the same workspace and task give the same answer.
* Tests are never answers. They prove a change, and seldom have to change.
"""

from sightline.index.finding.model import Clue, ClueKind, FileProposal, Proposals, SymbolProposal
from sightline.index.finding.ranking import find
from sightline.index.finding.task_text import MOST_CHARACTERS

__all__ = [
    "MOST_CHARACTERS",
    "Clue",
    "ClueKind",
    "FileProposal",
    "Proposals",
    "SymbolProposal",
    "find",
]
