"""Cuts the text of a reply, while it is being written, into clauses that can be spoken alone.

    text so far ── marks (is this the end of a sentence?) ──┐
                └─ edges (where may a long one be cut?) ────┴─> Clauses ──> clause, clause, ...

It does not know tokens, voices or how a clause is read aloud; `manners` has what differs between
languages. The result depends on the text alone, never on how it was cut into pieces.
"""

from voiced.llm.clauses.clauses import Clauses

__all__ = ["Clauses"]
