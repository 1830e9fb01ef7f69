"""Before the first call: the model rolls back, runs its largest shapes, and shows its pace.

It does not know prompts or calls.
"""

from voiced import clock
from voiced.errors import UnavailableError
from voiced.llm.batch import Run
from voiced.llm.native import Context
from voiced.llm.pace import Pace


def warmed(context: Context, slots: int) -> Pace:
    """Every shape has run once, and no sequence holds anything. Raises UnavailableError."""
    largest = [1] * context.batch_tokens
    context.decode([Run(0, 0, largest, output=True)])
    roll_back(context)
    for sequence in range(1, slots):
        context.decode([Run(sequence, 0, [1, 1], output=False)])
    everyone = [Run(0, 4, [1], output=True)]
    everyone += [Run(sequence, 2, [1], output=True) for sequence in range(1, slots)]
    context.decode(everyone)
    for sequence in range(1, slots):
        context.cut(sequence, 0)
    context.cut(0, 4)
    for tokens in (2, 4, 8, 16, 32):
        _timed(context, tokens)
    one_s = _timed(context, 1)
    many_s = _timed(context, 64)
    context.cut(0, 0)
    return Pace(one_s, max(many_s - one_s, 1e-6) / 64)


def roll_back(context: Context) -> None:
    """Cuts sequence 0 to its first four tokens. Raises UnavailableError where that cannot be done.

    Models with a recurrent state, or whose window has moved on, cannot forget a part: they would
    have to read the whole call again after each barge-in.
    """
    if not context.can_cut(0, 4) or context.held(0) != 4:
        raise UnavailableError(
            "the model cannot roll its memory back, which barge-in needs: choose another in "
            "[models] profile"
        )


def _timed(context: Context, tokens: int) -> float:
    best_s = float("inf")
    for _ in range(6):  # three with all threads, three with one
        began = clock.now()
        context.decode([Run(0, 4, [1] * tokens, output=True)])
        best_s = min(best_s, clock.now() - began)
        context.cut(0, 4)
    return best_s
