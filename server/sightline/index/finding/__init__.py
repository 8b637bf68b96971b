"""Finding: which files and symbols a task in words is about.

The task is an issue, an error, a sentence. The answer is two ranked lists, files and symbols, each
entry with its clues: the words it shares, names and paths that the task mentions, frames of a
traceback, calls from what is ranked high.

* `task_text`: a task as it is read: sections, words, names, paths.
* `traceback_frames`: the frames in it.
* `path_words`: what a path says: its words, and whether it is a test.
* `corpus`: files and symbols of a workspace with their counted terms, and BM25F over them.
* `clues`: what speaks for a file or symbol besides its words.
* `ranking`: both lists.

Invariants:

* It proposes and never decides: nothing is excluded because it is not found here.
* Whole numbers and total orders: the same workspace and task give the same answer.
* Tests are no answers. They are what proves a change, seldom what has to change.
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
