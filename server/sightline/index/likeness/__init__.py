"""Likeness: which parts of a workspace share telling words with a text.

A file is cut into *units*: functions, what is left of types, and pieces of the rest. Of each unit
the index keeps how often each *term* stands in seven fields. A query is a list of words; the answer
is the units in which its rare words stand, by BM25 over the fields (BM25F).

* `model`: units and answers.
* `words`: words, their terms, and how a term is kept.
* `lexing`: what is code, comment or string in a text, without a parse; what is left out of it.
* `units`: where units begin and end.
* `counting`: the counts of one file, packed. `workers` do this.
* `postings`: the counts of a workspace, by term, and the ranking.
* `fixed_point`: logarithms in whole numbers.

Invariants:

* Whole numbers; the same files and query give the same answer, whatever was asked or edited before,
  and whatever key the terms are kept under.
* No text of a comment or string is kept, and nothing of what looks like a secret is counted.
"""
