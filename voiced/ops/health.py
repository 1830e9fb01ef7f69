"""Whether the daemon lives, whether it takes calls, and why not. Main loop only."""

from importlib.metadata import version

VERSION = version("voiced")


STARTING = "starting"


class Health:
    """Set by the daemon as its life goes on; read by the HTTP routes."""

    def __init__(self) -> None:
        self.why_not: str | None = STARTING
        """Why no call is taken now, in a word or a sentence; None: calls are taken."""
        self.alarms: dict[str, str] = {}
        """What somebody must mend though calls are taken: a sentence for each part."""
        self.left_out: tuple[str, ...] = ()
        """What the daemon does without for now, since it is too slow for its calls."""
        self.strained = False
        """So slow that new calls are refused."""

    def alarm(self, part: str, why: str | None) -> None:
        """Something is wrong with a part; None: no longer."""
        self.alarms.pop(part, None)
        if why is not None:
            self.alarms[part] = why

    @property
    def sentence(self) -> str:
        """How it is, for whoever looks from outside."""
        if self.why_not is not None:
            return self.why_not
        left = ", ".join(self.left_out).replace("_", " ")
        late = [f"turns are late, so left out: {left}"] if left else []
        return "; ".join(["ready", *late, *self.alarms.values()])

    @property
    def refuses(self) -> str | None:
        """Why a new call may be refused now; None: it is taken."""
        return self.why_not or ("strained" if self.strained else None)

    @property
    def ready(self) -> bool:
        return self.why_not is None

    @property
    def starting(self) -> bool:
        """Nothing is loaded yet."""
        return self.why_not == STARTING
