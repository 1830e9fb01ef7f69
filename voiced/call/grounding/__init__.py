"""What a reply states as a fact, and whether anybody has told the agent so. Pure.

    prompt, fixed lines ─┐
    the caller's words ──┼─ offered ──> what may be said
    results of tools ────┘                   │
    a clause of the reply ── claimed ──> each claim must stand there

Doses, times, dates, telephone numbers and names of people are claims; every other statement is the
model's own affair. Texts are compared as they are read aloud (`voiced.tts.spoken`), so that "5 mg"
and "five milligrams" are one text already. It does not know turns, voices or models.
"""

from voiced.call.grounding.check import Check, Wall
from voiced.call.grounding.claims import Kind
from voiced.call.grounding.sources import Sources, sources_of

__all__ = ["Check", "Kind", "Sources", "Wall", "sources_of"]
