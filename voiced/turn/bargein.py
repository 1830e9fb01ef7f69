"""Is speech over the agent a barge-in? Pure.

People say "mm hmm" to show that they listen, and "stop" to take the floor; both are short, so it is
the words that decide and not their number. What consists of nothing but backchannels lets the agent
go on, unless the agent has asked something: then "yeah" is an answer.

    first voice        hold             sure
      |-- duck --------|-- silent ------|-- cancel, whatever is said
                         words: resume or cancel
"""

import re

from voiced.words import Words

_SOUNDS = "mm mmm hm hmm mhm mmhm mmhmm uh huh uhhuh ah aha oh ooh um er eh"
_ENGLISH = """yeah yep yup yes ok okay right alright sure good great fine cool wow really indeed
    exactly i see go on got it of course all"""
_KOREAN = "네 예 응 음 어 아 그래 그래요 맞아요 그렇군요 그렇죠 알겠어요 알겠습니다"
_BACKCHANNELS = frozenset(f"{_SOUNDS} {_ENGLISH} {_KOREAN}".split())

_WORD = re.compile(r"[^\W\d_]+")


def interrupts(words: Words, *, asking: bool) -> bool:
    """Whether these words, said over the agent, take the floor from it.

    `asking`: the agent's sentence is a question. No words at all (a cough, a slam, the agent's own
    echo) never do.
    """
    spoken = _WORD.findall(words.reveal().lower().replace("-", "").replace("'", ""))
    digits = any(character.isdigit() for character in words.reveal())
    if not spoken:
        return digits
    return asking or digits or not _BACKCHANNELS.issuperset(spoken)
