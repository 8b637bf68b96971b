"""Likeness: which parts of a workspace share rare words with a text.

A file is divided into *units*: functions, the rest of types, and pieces of the remaining lines. For
each unit the index stores how often each *term* occurs in seven fields. A query is a list of words;
the answer is the units in which its rare words occur, by BM25 over the fields (BM25F).

* `model`: units and answers.
* `words`: words, their terms, and how a term is stored.
* `lexing`: what is code, comment or string in a text, without a parse; and what is left out.
* `units`: where units begin and end.
* `counting`: the counts of one file, packed. `workers` do this.
* `postings`: the counts of a workspace, by term, and the ranking.
* `fixed_point`: logarithms in whole numbers.

Invariants:

* Whole numbers. The same files and query give the same answer, whatever was asked or edited before,
  and under whatever key the terms are stored.
* No text of a comment or string is stored, and nothing that looks like a secret is counted.
"""
