"""The socket of the operator's door: a file that only its owner and group may open.

It does not know the verbs: they are given to it as routes.
"""

import os
from collections.abc import Iterable
from pathlib import Path

from aiohttp import web

from voiced.errors import UnavailableError
from voiced.web import problems

MODE = 0o660
"""Operators are members of the daemon's group."""

SHUTDOWN_S = 2.0


class Server:
    """Listens until it is closed. Main loop only."""

    def __init__(self, runner: web.AppRunner) -> None:
        self._runner = runner

    @classmethod
    async def open(cls, path: Path, routes: Iterable[web.AbstractRouteDef]) -> "Server":
        """Begins to listen; a file that an earlier daemon has left is replaced.

        Raises UnavailableError.
        """
        app = web.Application(middlewares=[problems.middleware])
        app.router.add_routes(routes)
        runner = web.AppRunner(
            app, access_log=None, handle_signals=False, shutdown_timeout=SHUTDOWN_S
        )
        await runner.setup()
        before = os.umask(0o777 & ~MODE)
        try:
            await web.UnixSite(runner, str(path)).start()
        except OSError as error:
            await runner.cleanup()
            raise UnavailableError(
                f"control: cannot listen on {path}: {error.strerror}: write another control.socket"
            ) from None
        finally:
            os.umask(before)
        return cls(runner)

    async def close(self) -> None:
        """Stops listening; a drain that is waited for is told so by the end of its connection."""
        await self._runner.cleanup()
