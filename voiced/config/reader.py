"""Reads voiced.toml and agents.d/*.toml: TOML in, frozen dataclasses or one ConfigError out.

A ConfigError lists everything that is wrong at once, each with file, key, value and what to write.
It does not know what the values are for.
"""

import difflib
import json
import reprlib
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from voiced.config import ink, sonic
from voiced.config.agent import Agent, complaints
from voiced.config.settings import Settings
from voiced.errors import ConfigError

T = TypeVar("T")

_SHORT = reprlib.Repr()
_SHORT.maxlevel = 1  # of a whole table that stands in the wrong place the first keys are enough
_SHORT.maxlist = _SHORT.maxdict = 2
_SHORT.maxstring = _SHORT.maxother = 60


def read_settings(path: Path | None) -> Settings:
    """The settings in `path`, or the defaults when there is no path. Raises ConfigError.

    Paths in it are absolute, or begin with `~`, or are relative to the folder of the file.
    """
    if path is None:
        return Settings()
    settings = _anchored(_check(Settings, _table(path), path), path.absolute().parent)
    if wrong := [*sonic.complaints(settings.sonic), *ink.complaints(settings.ink)]:
        raise ConfigError("\n".join(f"{path}: {sentence}" for sentence in wrong))
    return settings


def read_agents(directory: Path, settings: Path | None) -> dict[str, Agent]:
    """Every agent of a directory, by name. Raises ConfigError, for every file that is wrong.

    An agent's [turn] and [budget] are laid over those of the settings file, key by key.
    """
    site = _table(settings) if settings is not None else {}
    if not directory.is_dir():
        raise ConfigError(
            f"{settings or 'defaults'}: calls.agents_dir = '{directory}': there is no such "
            "directory: make it and put one TOML file for each agent in it"
        )
    agents: list[Agent] = []
    wrong: list[str] = []
    for path in sorted(directory.glob("*.toml")):
        try:
            agents.append(read_agent(path, site))
        except ConfigError as error:
            wrong.append(str(error))
    if wrong:
        raise ConfigError("\n".join(wrong))
    if not agents:
        raise ConfigError(f"{directory}: no agent: put at least one NAME.toml there")
    return {agent.name: agent for agent in agents}


def read(kind: type[T], path: Path) -> T:
    """A file that is one `kind` of dataclass as a whole. Raises ConfigError."""
    return _check(kind, _table(path), path)


def read_json(kind: type[T], path: Path) -> T:
    """The same of a file that is JSON. Raises ConfigError."""
    try:
        table = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"{path}: there is no such file") from None
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: cannot be read as JSON: {error}") from None
    if not isinstance(table, dict):
        raise ConfigError(f"{path}: write one JSON object")
    return _check(kind, table, path)


def default_agent(agents: Mapping[str, Agent], named: str) -> Agent:
    """The agent of a caller that names none. Raises ConfigError when that is not clear."""
    if named in agents:
        return agents[named]
    if not named and len(agents) == 1:
        return next(iter(agents.values()))
    known = ", ".join(sorted(agents))
    raise ConfigError(f"calls.default_agent = {named!r}: write one of: {known}")


def read_agent(path: Path, site: Mapping[str, Any] | None = None) -> Agent:
    """One agent's file, laid over the tables that it shares with `site`. Raises ConfigError."""
    table, site = _table(path), site or {}
    for shared in ("turn", "budget"):
        own = table.get(shared, {})
        if isinstance(own, dict) and isinstance(site.get(shared), dict):
            table[shared] = {**site[shared], **own}
    agent = _check(Agent, table, path)
    wrong = complaints(agent)
    if agent.name != path.stem:
        wrong.append(f"name = {agent.name!r}: write {path.stem!r}, or rename the file")
    if wrong:
        raise ConfigError("\n".join(f"{path}: {sentence}" for sentence in wrong))
    return agent


def _anchored(value: T, folder: Path) -> T:
    """A frozen dataclass with every path in it made absolute."""
    changed: dict[str, Any] = {}
    for key in fields(value):  # type: ignore[arg-type]  # the settings and their tables
        inner = getattr(value, key.name)
        if isinstance(inner, Path):
            changed[key.name] = folder / inner.expanduser()
        elif isinstance(inner, tuple) and inner and isinstance(inner[0], Path):
            changed[key.name] = tuple(folder / one.expanduser() for one in inner)
        elif is_dataclass(inner):
            changed[key.name] = _anchored(inner, folder)
    return replace(value, **changed)  # type: ignore[type-var]


def _table(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"{path}: there is no such file") from None
    except RecursionError:
        raise ConfigError(f"{path}: cannot be read as TOML: it is nested too deeply") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read as TOML: {error}") from None


def _check(kind: type[T], table: dict[str, Any], path: Path) -> T:
    # strict JSON mode lets lists be tuples and strings be paths, and nothing else be anything else
    try:
        return TypeAdapter(kind).validate_json(_json(table), strict=True, extra="forbid")
    except ValidationError as error:
        lines = [f"{path}: {sentence}" for sentence in _sentences(kind, error)]
        raise ConfigError("\n".join(lines)) from None


def _json(table: dict[str, Any]) -> bytes:
    return TypeAdapter(dict[str, Any]).dump_json(table)


def _sentences(kind: type, error: ValidationError) -> Iterator[str]:
    for detail in error.errors(include_url=False):
        where = [str(part) for part in detail["loc"] if part != "[key]"]
        key = ".".join(where)
        if detail["type"] in ("unexpected_keyword_argument", "extra_forbidden"):
            known = _keys(kind, where[:-1])
            near = difflib.get_close_matches(where[-1], known, n=1, cutoff=0.5)
            advice = f"did you mean {near[0]!r}?" if near else f"known keys: {', '.join(known)}"
            yield f"{key}: unknown key; {advice}"
        elif detail["type"] in ("missing_argument", "missing"):
            yield f"{key}: is missing and has no default"
        else:
            shown = _SHORT.repr(detail["input"])
            yield f"{key} = {shown}: {detail['msg'][0].lower()}{detail['msg'][1:]}"


def _keys(kind: Any, where: list[str]) -> list[str]:
    """The keys that a dataclass knows at a place inside it."""
    for part in where:
        if is_dataclass(kind):
            kind = next((f.type for f in fields(kind) if f.name == part), None)
        else:
            kind = _inner(kind)
    return [f.name for f in fields(kind)] if is_dataclass(kind) else []


def _inner(kind: Any) -> Any:
    """The dataclass among a container's type arguments: dict[str, Lines] -> Lines."""
    return next((arg for arg in getattr(kind, "__args__", ()) if is_dataclass(arg)), kind)
