"""The vault, opened for the daemon: where the site has a key for it, or had one.

What was kept is erased in its time even where no agent keeps anything any more. It does not know
what is kept, or of which call.
"""

from collections.abc import Iterable
from contextlib import AsyncExitStack

from voiced.audit.model import Audit
from voiced.config.agent import Agent
from voiced.config.settings import Vault
from voiced.errors import ConfigError, UnavailableError
from voiced.ops.health import Health
from voiced.vault.keeper import Keeper
from voiced.vault.keyring import PROBE, Keyring
from voiced.vault.keys import CREDENTIAL, USUAL, SiteKeys, site_keys
from voiced.vault.vault import INDEX, KEYS


async def opened(
    settings: Vault, audit: Audit, health: Health, stack: AsyncExitStack
) -> Keeper | None:
    """The vault, closed with `stack`; None: there is none. Raises VoicedError."""
    site = site_keys(settings)
    if site is None and not (settings.dir / INDEX).is_file():
        return None
    keeper = Keeper(settings, site, audit, lambda alarm: health.alarm("vault", alarm))
    stack.push_async_callback(keeper.close)
    await keeper.open()
    return keeper


def try_key(settings: Vault, site: SiteKeys) -> None:
    """The key opens what was kept before, if anything was. Raises UnavailableError or Damaged."""
    try:
        if (settings.dir / INDEX).is_file():
            Keyring(settings.dir / KEYS).open(PROBE, site)
    except OSError as error:
        raise UnavailableError(
            f"vault.dir = '{settings.dir}': {error.strerror}: run this as root, or as the daemon's "
            "user"
        ) from None


def check(agents: Iterable[Agent], *, has_key: bool) -> None:
    """Who keeps calls has a key to keep them with. Raises ConfigError."""
    keeping = [agent.name for agent in agents if agent.vault.keeps]
    if keeping and not has_key:
        raise ConfigError(
            f"agent {keeping[0]!r}: vault keeps calls, and there is no site key: give the unit the "
            f"credential {CREDENTIAL}, put the key into {USUAL}, or name its file as "
            "vault.key_file; then restart voiced"
        )
