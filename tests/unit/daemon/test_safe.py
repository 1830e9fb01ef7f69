"""The daemon's vault: where there is one, and who may not go without it."""

import asyncio
import base64
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from tests.flow.test_call import AGENT
from voiced.audit.model import NOWHERE
from voiced.config.agent import Vault as Keeping
from voiced.config.settings import Vault
from voiced.daemon import safe
from voiced.errors import ConfigError
from voiced.ops.health import Health
from voiced.vault.keeper import Keeper

pytestmark = pytest.mark.unit

KEEPER = replace(AGENT, vault=Keeping(transcripts=True))


def opened(place: Vault) -> tuple[bool, bool]:
    """Whether there is a vault, and whether it can keep calls."""

    async def main() -> tuple[bool, bool]:
        async with AsyncExitStack() as stack:
            keeper: Keeper | None = await safe.opened(place, NOWHERE, Health(), stack)
            return keeper is not None, keeper is not None and keeper.has_key

    return asyncio.run(main())


def test_without_a_key_nothing_is_made(tmp_path: Path) -> None:
    assert (False, False) == opened(Vault(dir=tmp_path / "v"))
    assert [] == list(tmp_path.iterdir())


def test_with_a_key_there_is_a_vault_and_without_it_later_it_only_erases(tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text(base64.b64encode(bytes(32)).decode())

    assert (True, True) == opened(Vault(dir=tmp_path / "v", key_file=key))
    assert (True, False) == opened(Vault(dir=tmp_path / "v"))


def test_an_agent_that_keeps_calls_needs_a_key() -> None:
    safe.check([AGENT], has_key=False)
    safe.check([AGENT, KEEPER], has_key=True)

    with pytest.raises(ConfigError, match=r"agent 'desk'.*site key.*vault\.key_file"):
        safe.check([AGENT, KEEPER], has_key=False)
